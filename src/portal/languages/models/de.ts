/** Deutsch: die Modelle: die Liste, ein Modell, und eines fragen. */
import { countIn } from '../language.ts';
import type { ModelsWords } from './en.ts';

const count = countIn('de');

export const de = {
  title: 'Modelle',
  shown: (shown: number, all: number) =>
    shown === all
      ? `${count(all, { one: 'Modell', other: 'Modelle' })}, Preise in US-Dollar für eine Million Token`
      : `${shown} von ${count(all, { one: 'Modell', other: 'Modellen' })}, Preise in US-Dollar für eine Million Token`,
  search: 'Name, Hersteller oder Alias',
  does: 'Fähigkeiten',
  outputLimit: 'Längste Ausgabe',
  firstToken: 'Erstes Token',
  speed: 'Token je Sekunde',
  answered: 'Beantwortet, 7 Tage',
  answeredShort: 'Beantwortet',
  inputPrice: 'Eingabepreis',
  key: 'Schlüssel',
  noPrice: 'Kein Preis',
  atLeast: (tokens: string) => `mindestens ${tokens}`,
  atMost: (price: string) => `höchstens ${price}`,
  measured: 'Zeiten sind Mediane aller Anfragen der letzten sieben Tage, ab zehn Anfragen.',
  ownUse: 'Ihre Nutzung, 30 Tage',
  ownUsed: (requests: number, cost: string) =>
    `${count(requests, { one: 'Anfrage', other: 'Anfragen' })}, ${cost}`,
} satisfies ModelsWords;
