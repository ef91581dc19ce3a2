/** Français : le cadre autour des textes juridiques. */
import type { LegalWords } from './en.ts';

export const fr = {
  all: 'Textes juridiques',
  description: (title, brand) => `${title} de ${brand}, avec version et date.`,
  version: (version, day) => `Version ${version}, en vigueur depuis le ${day}`,
  template: 'Un modèle',
  templateDetail: (variable) => [
    'Ce texte est livré avec le logiciel. Qui exploite ce service le remplace par le sien, dans un dossier que nomme ',
    variable,
    '.',
  ],
  otherLanguage: 'Ce texte n’a pas de traduction : il est montré en anglais.',
  names: {
    terms: 'Conditions d’utilisation',
    aup: 'Usage acceptable',
    privacy: 'Confidentialité',
    cookies: 'Cookies',
    dpa: 'Traitement des données',
    refund: 'Remboursements',
    billing: 'Facturation',
    security: 'Sécurité',
  },
} satisfies LegalWords;
