/** Deutsch: die Übersicht: Zahlen, was Aufmerksamkeit braucht, erste Schritte. */
import type { Child } from 'hono/jsx';
import { countIn } from '../language.ts';
import type { HomeWords } from './en.ts';

const count = countIn('de');
const daysOf = (number: number) =>
  number < 1 ? 'weniger als einen Tag' : count(number, { one: 'Tag', other: 'Tage' });

export const de = {
  ownAlone: 'Diese Zahlen betreffen nur Ihre eigenen Anfragen.',
  showAll: 'Alles zeigen, was Sie verwalten',
  period: 'Zeitraum',
  periods: { 1: 'Heute', 7: '7 Tage', 30: '30 Tage' },
  figures: {
    spend: 'Ausgaben',
    requests: 'Anfragen',
    tokens: 'Token',
    errorRate: 'Fehlerquote',
    latency: 'Antwortzeit, Median',
    points: (number: string) => `${number} Pp.`,
    before: {
      1: 'gegenüber gestern bis zu dieser Stunde',
      7: 'gegenüber den 7 Tagen davor',
      30: 'gegenüber den 30 Tagen davor',
    },
    cached: (share: string) => `${share} aus dem Cache`,
    failed: (number: number) => `${count(number, { other: 'gescheitert' })}`,
    p95: (span: string) => `p95 ${span}`,
  },
  chart: {
    title: 'Ausgaben nach Modell',
    titleToday: 'Ausgaben nach Stunde',
    day: 'Tag',
    hour: 'Stunde',
    spend: 'Ausgaben',
    others: 'Andere',
    label: (amount: string) => `Ausgaben in diesem Zeitraum: ${amount}`,
    none: 'In diesem Zeitraum wurde nichts ausgegeben',
    open: 'In der Nutzung öffnen',
  },
  balance: {
    title: 'Guthaben',
    lasts: (days: number, amount: string) => `Reicht ${daysOf(days)} bei ${amount} am Tag.`,
    lastsPaying: (days: number, amount: string, name: string) =>
      `Reicht ${daysOf(days)} bei ${amount} am Tag für alle von ${name}.`,
    steady: 'In den letzten sieben Tagen wurde nichts ausgegeben.',
    byOrganisation: (name: string) => `${name} bezahlt Ihre Anfragen.`,
  },
  attention: {
    title: 'Braucht einen Blick',
    unverified: [
      'Ihre Adresse ist nicht bestätigt',
      'Mails zu Ihrem Konto kommen vielleicht nicht bei Ihnen an.',
    ],
    verify: 'Einstellungen öffnen',
    empty: [
      'Ihr Guthaben ist aufgebraucht',
      'Anfragen an Modelle mit Preis werden mit Status 402 abgelehnt, bis Geld dazukommt.',
    ],
    low: (amount: string) => `Ihr Guthaben beträgt nur noch ${amount}`,
    lowDetail: (day: string) =>
      `Beim jetzigen Verbrauch ist es am ${day} leer. Dann bekommen Anfragen an Modelle mit Preis Status 402.`,
    lowSteady: 'Ist es aufgebraucht, bekommen Anfragen an Modelle mit Preis Status 402.',
    addFunds: 'Guthaben ansehen',
    keyEnds: (name: string) => `Der Schlüssel „${name}“ läuft bald ab`,
    keyEndsDetail: (moment: Child, owner: string | null): Child => [
      'Er endet ',
      moment,
      owner === null
        ? '. Legen Sie vorher einen anderen an.'
        : ` und gehört ${owner}. Legen Sie vorher einen anderen an.`,
    ],
    keyEnded: (name: string) => `Der Schlüssel „${name}“ ist abgelaufen`,
    keyEndedDetail: (moment: Child, owner: string | null): Child => [
      'Er endete ',
      moment,
      owner === null
        ? '. Wer ihn noch benutzt, bekommt Status 401.'
        : ` und gehört ${owner}. Wer ihn noch benutzt, bekommt Status 401.`,
    ],
    seeKey: 'Schlüssel ansehen',
    seeUsage: 'Nutzung ansehen',
    providerFails: (name: string, share: string) => `${name} scheitert bei ${share} der Versuche`,
    providerDetail: (failed: number, tried: number, reached: number) =>
      `${failed} der letzten ${tried} Versuche in 24 Stunden; ${reached === 0 ? 'andere Anbieter haben alle beantwortet' : `${count(reached, { one: 'Anfrage scheiterte', other: 'Anfragen scheiterten' })} beim Aufrufer`}.`,
    seeRequests: 'Anfragen ansehen',
    unpriced: (number: number) =>
      count(number, { one: 'Modell hat keinen Preis', other: 'Modelle haben keinen Preis' }),
    unpricedDetail: (names: string) =>
      `Anfragen zahlender Konten an diese Modelle werden abgelehnt: ${names}.`,
    seeModels: 'Modelle ansehen',
    budget: (name: string, share: string) => `${name} hat ${share} des Budgets verbraucht`,
    budgetDetail: (spent: string, limit: string) => `${spent} von ${limit}.`,
    budgetUntil: (day: string) => `Es beginnt am ${day} von neuem.`,
    budgetStops: 'Bis dahin bekommen Anfragen Status 402.',
    budgetStopsRaised: 'Bis es erhöht wird, bekommen Anfragen Status 402.',
    yourBudget: 'Ihr Konto',
    yourDepartment: 'Ihre Abteilung',
    secondFactor: [
      'Ihre Anmeldung hat nur einen Schritt',
      'Sie verwalten andere, darum sollte sie zwei haben.',
    ],
    addSecondFactor: 'Einrichten',
  },
  steps: {
    title: 'Erste Schritte',
    progress: (done: number, all: number) => `${done} von ${all} erledigt`,
    verified: 'Adresse bestätigen',
    key: 'Einen API-Schlüssel anlegen',
    funded: 'Guthaben bereitstellen',
    request: 'Die erste Anfrage senden',
    waiting: 'Sie erscheint hier, sobald sie ankommt.',
    done: 'erledigt',
    open: 'offen',
    all: 'Alles ist eingerichtet. Die Zahlen füllen sich von nun an.',
    dismiss: 'Diese Schritte ausblenden',
    go: 'Öffnen',
  },
  send: {
    title: 'Eine Anfrage senden',
    detail: (variable: Child): Child => ['Die Variable ', variable, ' enthält Ihr API-Token.'],
  },
  spenders: {
    title: 'Die größten Ausgaben',
    person: 'Person',
    requests: 'Anfragen',
    spend: 'Ausgaben',
    share: 'Anteil',
    gone: 'nicht mehr hier',
  },
  latest: { all: 'Alle Anfragen' },
} satisfies HomeWords;
