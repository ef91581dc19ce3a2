/** Deutsch: der Rahmen um die rechtlichen Texte. */
import type { LegalWords } from './en.ts';

export const de = {
  all: 'Rechtliche Texte',
  description: (title, brand) => `${title} von ${brand}, mit Fassung und Datum.`,
  version: (version, day) => `Fassung ${version}, gültig seit ${day}`,
  template: 'Eine Vorlage',
  templateDetail: (variable) => [
    'Dieser Text kommt mit der Software. Wer diesen Dienst betreibt, ersetzt ihn durch einen eigenen, in einem Ordner, den ',
    variable,
    ' nennt.',
  ],
  otherLanguage: 'Von diesem Text gibt es keine Übersetzung: Er steht hier auf Englisch.',
  names: {
    terms: 'Nutzungsbedingungen',
    aup: 'Zulässige Nutzung',
    privacy: 'Datenschutz',
    cookies: 'Cookies',
    dpa: 'Auftragsverarbeitung',
    refund: 'Rückerstattung',
    billing: 'Abrechnung',
    security: 'Sicherheit',
  },
} satisfies LegalWords;
