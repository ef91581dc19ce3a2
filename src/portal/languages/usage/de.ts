/** Die Seite der Nutzung. */
import { countIn } from '../language.ts';
import type { UsageWords } from './en.ts';

const count = countIn('de');

export const de = {
  title: 'Nutzung',
  exportCsv: 'Als CSV exportieren',
  asJson: 'Als JSON',
  show: 'Kennzahl',
  metrics: {
    spend: 'Ausgaben',
    requests: 'Anfragen',
    tokens: 'Token',
    errors: 'Fehlerquote',
    latency: 'Dauer',
    first: 'Erstes Token',
    cached: 'Aus dem Cache',
  },
  by: 'Nach',
  groups: {
    none: 'nichts, alles zusammen',
    kind: 'Art der Token',
    model: 'Modell',
    provider: 'Anbieter',
    key: 'Schlüssel',
    person: 'Person',
    organisation: 'Organisation',
    department: 'Abteilung',
    project: 'Projekt',
    tag: 'Schlagwort',
    end_user: 'Endnutzer',
    status: 'Status',
  },
  every: 'Je',
  steps: { hour: 'Stunde', day: 'Tag', week: 'Woche', month: 'Monat' },
  range: 'Zeitraum',
  ranges: {
    today: 'heute',
    '7d': 'letzte 7 Tage',
    '30d': 'letzte 30 Tage',
    '90d': 'letzte 90 Tage',
    '365d': 'letzte 365 Tage',
  },
  between: (from: string, to: string) => `${from} bis ${to}`,
  from: 'Von',
  to: 'Bis',
  apply: 'Zeigen',
  filter: 'Filter',
  removeFilter: (name: string) => `Filter ${name} entfernen`,
  onBefore: (days: number) =>
    days === 1 ? 'gegenüber dem Tag davor' : `gegenüber den ${count(days, { other: 'Tagen' })} davor`,
  sameAsBefore: (days: number) =>
    days === 1 ? 'wie am Tag davor' : `wie in den ${count(days, { other: 'Tagen' })} davor`,
  partial: 'Was noch nicht vorbei ist, ist heller gezeichnet. Tage sind in UTC.',
  whole: 'Tage sind in UTC.',
  twiceCounted: 'Eine Anfrage zählt bei jedem ihrer Schlagwörter.',
  noLabel: {
    tag: 'Keine Anfrage in diesem Zeitraum hat ein Schlagwort.',
    end_user: 'Keine Anfrage in diesem Zeitraum nennt einen Endnutzer.',
  },
  /** A request may have several tags, so that what is left is the least that has none. */
  withoutLabel: {
    tag: (amount: string, share: string) => `Mindestens ${amount} (${share}) hat kein Schlagwort.`,
    end_user: (amount: string, share: string) => `Ohne Endnutzer: ${amount} (${share}).`,
  },
  chart: (metric: string, total: string) => `${metric}: ${total}`,
  others: (number: number) => count(number, { one: 'weiteres', other: 'weitere' }),
  allOthers: 'Andere',
  median: 'Median',
  p95: 'p95',
  nothing: 'keine',
  all: 'Alle',
  share: 'Anteil',
  change: 'Änderung',
  perThousand: 'Je 1.000 Anfragen',
  more: (number: number) => `Gezeigt sind die ${number} teuersten.`,
  none: 'Keine Anfrage in diesem Zeitraum',
  noneDetail:
    'Anfragen werden hier gezählt, sobald sie beendet sind. Nehmen Sie einen Filter weg, oder sehen Sie sich einen längeren Zeitraum an.',
  longer: 'Letzte 365 Tage',
  openRequests: 'Die Anfragen öffnen',
  kinds: {
    input: 'Neue Eingabe',
    cacheRead: 'Aus dem Cache gelesen',
    cacheWrite: 'In den Cache geschrieben',
    output: 'Antwort',
    reasoning: 'Nachdenken',
  },
} satisfies UsageWords;
