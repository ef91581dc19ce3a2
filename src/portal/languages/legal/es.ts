/** Español: el marco de los textos legales. */
import type { LegalWords } from './en.ts';

export const es = {
  all: 'Textos legales',
  description: (title, brand) => `${title} de ${brand}, con versión y fecha.`,
  version: (version, day) => `Versión ${version}, en vigor desde el ${day}`,
  template: 'Una plantilla',
  templateDetail: (variable) => [
    'Este texto viene con el programa. Quien opera este servicio lo sustituye por el suyo, en una carpeta que nombra ',
    variable,
    '.',
  ],
  otherLanguage: 'Este texto no está traducido: se muestra en inglés.',
  names: {
    terms: 'Condiciones de servicio',
    aup: 'Uso aceptable',
    privacy: 'Privacidad',
    cookies: 'Cookies',
    dpa: 'Tratamiento de datos',
    refund: 'Reembolsos',
    billing: 'Facturación',
    security: 'Seguridad',
  },
} satisfies LegalWords;
