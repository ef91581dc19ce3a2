/** Deutsch: ein Modell auf seiner Seite ausprobieren. */
import type { TryWords } from './en.ts';

export const de = {
  title: 'Ausprobieren',
  charged: 'Wird wie jede Anfrage berechnet und protokolliert.',
  free: 'Wird wie jede Anfrage gezählt und protokolliert und niemandem berechnet.',
  prompt: 'Eingabe',
  answerLimit: 'Antwort höchstens',
  tokens: (number: string) => `${number} Token`,
  send: 'Senden',
  stop: 'Anhalten',
  answer: 'Antwort',
  atMost: (cost: string) => `Kostet höchstens ${cost}`,
  waiting: 'Wartet auf die Antwort',
  stopped: 'Angehalten. Was bis dahin kam, wird berechnet.',
  failed: 'Es konnte nicht gesendet werden. Versuchen Sie es noch einmal.',
  facts: {
    input: 'Eingabe-Token',
    output: 'Ausgabe-Token',
    cost: 'Kosten',
    first: 'Erstes Token',
    duration: 'Dauer',
    id: 'Anfrage',
  },
} satisfies TryWords;
