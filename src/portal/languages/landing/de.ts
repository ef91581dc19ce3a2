/** Deutsch: die Startseite. */
import type { LandingWords } from './en.ts';

export const de = {
  title: 'Ein Gateway für Inferenz',
  description: 'Eine Adresse für jedes Modell: geprüft, begrenzt, gemessen und aus einem Guthaben bezahlt.',
  running: 'In Betrieb',
  signInNeeded: 'Sie sind nicht angemeldet: Der erste Schritt unten sagt, wie es geht',
  heading: 'Eine Adresse für jedes Modell',
  lead: 'Sluice steht zwischen Ihren Anwendungen und den Anbietern der Modelle. Es prüft, wer fragt, hält Grenzen ein, zählt jedes Token und nimmt die Kosten aus einem Guthaben.',
  open: 'Zur Übersicht',
  signIn: 'Anmelden',
  signInHow: (command) => [
    'Beim Start schreibt der Server einen Link in sein Terminal, und ',
    command,
    ' erstellt einen neuen. Öffnen Sie ihn in diesem Browser und drücken Sie den Knopf: Er meldet einmal an, innerhalb einer Stunde.',
  ],
  send: 'Eine Anfrage senden',
  sendHow: (variable) => [
    'Legen Sie ein API-Token in die Variable ',
    variable,
    ' und listen Sie die Modelle auf. Der erste Start nennt ein Token und eine Zeile, die ein Modell fragt.',
  ],
  baseUrl: (address) => ['OpenAI-Clients laufen, wie sie sind, mit der Basisadresse ', address],
} satisfies LandingWords;
