/** Deutsch: die Startseite. */
import { countIn } from '../language.ts';
import type { LandingWords } from './en.ts';

const count = countIn('de');

export const de = {
  title: 'Ein Gateway für Inferenz',
  description: 'Eine Adresse für jedes Modell: geprüft, begrenzt, gemessen und aus einem Guthaben bezahlt.',
  heading: 'Eine Adresse für jedes Modell',
  models: (number) => count(number, { one: 'Modell', other: 'Modelle' }),
  providers: (number) => count(number, { one: 'Anbieter', other: 'Anbietern' }),
  lead: (models, providers) =>
    `${models} von ${providers} über einen Endpunkt, im Protokoll, das Ihr Client schon spricht. Jede Anfrage wird geprüft, begrenzt, aufs Token gezählt und aus einem Guthaben bezahlt.`,
  docs: 'Die erste Anfrage senden',
  example: {
    title: 'Was man von einer Anfrage weiß',
    detail: 'Ein Beispiel',
    live: {
      send: 'Echte Anfrage senden',
      again: 'Noch eine senden',
      detail: 'Echt, über den Simulator',
      waited: 'Simulator: erster Inhalt',
      cost: 'Kosten, niemandem berechnet',
      waiting: 'Ihre Anfrage ist unterwegs …',
      failed: 'Die Anfrage kam nicht durch. Versuchen Sie es in einer Minute noch einmal.',
      note: 'Eben durch das Gateway dieser Installation an den eingebauten Simulator gesendet: ohne Token und Guthaben, und nichts davon wird gespeichert. Die Zeiten gelten für diese eine Anfrage, und die erste nach einem Start dauert am längsten; was unten gemessen ist, gilt für viele.',
      answer: 'Die Antwort',
    },
    bill: 'Was sie gekostet hat',
    spans: {
      gate: 'Schlüssel, Guthaben, Weg',
      failed: 'Erster Anbieter: überlastet',
      waited: 'Zweiter Anbieter: wartet',
      streamed: 'Antwort im Stream',
      settled: 'Abrechnung',
    },
    lines: { input: 'Eingabe', cached: 'Aus dem Cache', output: 'Ausgabe' },
    taken: 'Vom Guthaben genommen',
    note: 'Der fehlgeschlagene Versuch kostete nichts, und der Aufrufer sah eine Antwort. Der Eintrag behält Anzahlen, Zeiten und Kosten, nie den Inhalt.',
  },
  measured: {
    title: 'Gemessen',
    added: 'mehr je Anfrage, im Median',
    rate: 'Anfragen je Sekunde',
    memory: 'Speicher unter Last',
    contents: 'Prompts in der Datenbank',
    source: (day, cores) =>
      `Ganze Antworten auf PostgreSQL, ein Prozess, auf ${cores} Kernen gemeinsam mit Client, Anbieter und Datenbank, ${day}. npm run bench misst es erneut.`,
  },
  what: 'Für alle, die für die Rechnung geradestehen',
  offers: {
    protocols: {
      name: 'Jedes Protokoll',
      text: 'Chat Completions, Responses, Messages und generateContent. Jedes Chatmodell beantwortet alle.',
    },
    failover: {
      name: 'Ausweichen',
      text: 'Bis zum ersten Inhalt wird der nächste Anbieter gefragt. Ein abgebrochener Stream sieht nie ganz aus.',
    },
    wallet: {
      name: 'Ein Guthaben',
      text: 'Ist es leer, wird abgelehnt, was einen Preis hat, bevor ein Anbieter gefragt ist. Kosten auf ein Milliardstel Dollar genau.',
    },
    keys: {
      name: 'Schlüssel mit Sperren und Grenzen',
      text: 'Modelle, Anbieter und Regionen; Anfragen und Token je Minute; gleichzeitige Anfragen.',
    },
    record: {
      name: 'Jeder Versuch verzeichnet',
      text: 'Wer gefragt wurde, wie lange es dauerte, was gezählt wurde und was es kostete, eine Zeile je Anfrage.',
    },
    privacy: {
      name: 'Inhalte bleiben draußen',
      text: 'Weder Datenbank noch Log enthalten, was gefragt und geantwortet wurde.',
    },
  },
  run: 'Selbst betreiben',
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
    '. Der erste Start nennt ein Token und eine Zeile, die ein Modell fragt.',
  ],
  baseUrl: (address) => ['OpenAI-Clients laufen, wie sie sind, mit der Basisadresse ', address],
} satisfies LandingWords;
