/** Français : les descriptions des interfaces. */
import type { ReferenceWords } from './en.ts';

export const fr = {
  title: 'Référence de l’API',
  description:
    'Chaque adresse de la passerelle, du portail et de l’API de compte, avec champs, réponses et erreurs.',
  lead: 'Faite du programme qui répond, et en anglais. Avec Authorize vous envoyez des requêtes avec votre jeton ; elles sont réelles et facturées.',
  names: { gateway: 'Passerelle', portal: 'Portail', account: 'API de compte' },
  file: 'La description en OpenAPI 3.1, pour les programmes',
  needsScript: 'Cette page dessine la description par un script. Sans lui, ouvrez le fichier ci-dessus.',
} satisfies ReferenceWords;
