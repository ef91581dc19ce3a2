/** La page de l’utilisation. */
import { countIn } from '../language.ts';
import type { UsageWords } from './en.ts';

const count = countIn('fr');

export const fr = {
  title: 'Utilisation',
  exportCsv: 'Exporter en CSV',
  asJson: 'En JSON',
  show: 'Afficher',
  metrics: {
    spend: 'Dépenses',
    requests: 'Requêtes',
    tokens: 'Jetons',
    errors: 'Taux d’erreur',
    latency: 'Durée',
    first: 'Premier jeton',
    cached: 'Lus dans le cache',
  },
  by: 'Par',
  groups: {
    none: 'rien, tout ensemble',
    kind: 'sorte de jeton',
    model: 'modèle',
    provider: 'fournisseur',
    key: 'clé',
    person: 'personne',
    organisation: 'organisation',
    department: 'service',
    project: 'projet',
    tag: 'étiquette',
    end_user: 'utilisateur final',
    status: 'statut',
  },
  every: 'Par',
  steps: { hour: 'heure', day: 'jour', week: 'semaine', month: 'mois' },
  range: 'Période',
  ranges: {
    today: 'aujourd’hui',
    '7d': '7 derniers jours',
    '30d': '30 derniers jours',
    '90d': '90 derniers jours',
    '365d': '365 derniers jours',
  },
  between: (from: string, to: string) => `du ${from} au ${to}`,
  from: 'Du',
  to: 'Au',
  apply: 'Afficher',
  filter: 'Filtre',
  removeFilter: (name: string) => `Retirer le filtre ${name}`,
  onBefore: (days: number) =>
    days === 1
      ? 'par rapport à la veille'
      : `par rapport aux ${count(days, { one: 'jour', other: 'jours' })} d’avant`,
  sameAsBefore: (days: number) =>
    days === 1 ? 'comme la veille' : `comme les ${count(days, { one: 'jour', other: 'jours' })} d’avant`,
  partial: 'Ce qui n’est pas terminé est dessiné plus clair. Les jours sont en UTC.',
  whole: 'Les jours sont en UTC.',
  twiceCounted: 'Une requête compte pour chacune de ses étiquettes.',
  noLabel: {
    tag: 'Aucune requête de cette période n’a d’étiquette.',
    end_user: 'Aucune requête de cette période ne nomme d’utilisateur final.',
  },
  /** A request may have several tags, so that what is left is the least that has none. */
  withoutLabel: {
    tag: (amount: string, share: string) => `Au moins ${amount} (${share}) n’a pas d’étiquette.`,
    end_user: (amount: string, share: string) => `Sans utilisateur final : ${amount} (${share}).`,
  },
  chart: (metric: string, total: string) => `${metric} : ${total}`,
  others: (number: number) => count(number, { one: 'autre', other: 'autres' }),
  allOthers: 'Autres',
  median: 'Médiane',
  p95: 'p95',
  nothing: 'aucun',
  all: 'Tout',
  share: 'Part',
  change: 'Évolution',
  perThousand: 'Pour 1 000 requêtes',
  more: (number: number) => `Les ${number} plus coûteux sont affichés.`,
  none: 'Aucune requête sur cette période',
  noneDetail:
    'Les requêtes sont comptées ici dès qu’elles sont terminées. Retirez un filtre ou choisissez une période plus longue.',
  longer: '365 derniers jours',
  openRequests: 'Ouvrir les requêtes',
  kinds: {
    input: 'Nouvelle entrée',
    cacheRead: 'Lus dans le cache',
    cacheWrite: 'Écrits dans le cache',
    output: 'Réponse',
    reasoning: 'Raisonnement',
  },
} satisfies UsageWords;
