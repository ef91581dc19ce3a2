/** Français : la vue d’ensemble : chiffres, ce qui demande attention, premiers pas. */
import type { Child } from 'hono/jsx';
import { countIn } from '../language.ts';
import type { HomeWords } from './en.ts';

const count = countIn('fr');
const daysOf = (number: number) =>
  number < 1 ? 'moins d’un jour' : count(number, { one: 'jour', other: 'jours' });

export const fr = {
  ownAlone: 'Ces chiffres sont de vos seules requêtes.',
  showAll: 'Montrer tout ce que vous administrez',
  period: 'Période',
  periods: { 1: 'Aujourd’hui', 7: '7 jours', 30: '30 jours' },
  figures: {
    spend: 'Dépenses',
    requests: 'Requêtes',
    tokens: 'Jetons',
    errorRate: 'Taux d’erreur',
    latency: 'Temps de réponse, médiane',
    points: (number: string) => `${number} pt`,
    before: {
      1: 'par rapport à hier à la même heure',
      7: 'par rapport aux 7 jours précédents',
      30: 'par rapport aux 30 jours précédents',
    },
    cached: (share: string) => `${share} lus du cache`,
    failed: (number: number) => count(number, { one: 'échec', other: 'échecs' }),
    p95: (span: string) => `p95 ${span}`,
  },
  chart: {
    title: 'Dépenses par modèle',
    titleToday: 'Dépenses par heure',
    day: 'Jour',
    hour: 'Heure',
    spend: 'Dépenses',
    others: 'Autres',
    label: (amount: string) => `Dépenses de cette période : ${amount}`,
    none: 'Rien n’a été dépensé pendant cette période',
    open: 'Ouvrir dans l’usage',
  },
  balance: {
    title: 'Solde',
    lasts: (days: number, amount: string) => `Suffit pour ${daysOf(days)} à ${amount} par jour.`,
    lastsPaying: (days: number, amount: string, name: string) =>
      `Suffit pour ${daysOf(days)} à ${amount} par jour pour l’ensemble de ${name}.`,
    steady: 'Rien n’a été dépensé ces sept derniers jours.',
    byOrganisation: (name: string) => `${name} paie vos requêtes.`,
  },
  attention: {
    title: 'À regarder',
    unverified: [
      'Votre adresse n’est pas confirmée',
      'Les e-mails concernant votre compte pourraient ne pas vous parvenir.',
    ],
    verify: 'Ouvrir les réglages',
    empty: [
      'Votre solde est épuisé',
      'Les requêtes aux modèles payants sont refusées avec le statut 402 jusqu’au prochain versement.',
    ],
    low: (amount: string) => `Il ne reste que ${amount} sur votre solde`,
    lowDetail: (day: string) =>
      `Au rythme actuel, il sera épuisé le ${day} ; les requêtes aux modèles payants recevront alors le statut 402.`,
    lowSteady: 'Quand il sera épuisé, les requêtes aux modèles payants recevront le statut 402.',
    addFunds: 'Voir le solde',
    keyEnds: (name: string) => `La clé « ${name} » expire bientôt`,
    keyEndsDetail: (moment: Child, owner: string | null): Child => [
      'Elle expire ',
      moment,
      owner === null
        ? '. Créez-en une autre d’ici là.'
        : ` et appartient à ${owner}. Créez-en une autre d’ici là.`,
    ],
    keyEnded: (name: string) => `La clé « ${name} » a expiré`,
    keyEndedDetail: (moment: Child, owner: string | null): Child => [
      'Elle a expiré ',
      moment,
      owner === null
        ? '. Qui l’utilise encore reçoit le statut 401.'
        : ` et appartient à ${owner}. Qui l’utilise encore reçoit le statut 401.`,
    ],
    seeKey: 'Voir la clé',
    seeUsage: 'Voir l’usage',
    providerFails: (name: string, share: string) => `${name} échoue dans ${share} des tentatives`,
    providerDetail: (failed: number, tried: number, reached: number) =>
      `${failed} des ${tried} dernières tentatives en 24 heures ; ${reached === 0 ? 'd’autres fournisseurs ont répondu à toutes' : `${count(reached, { one: 'requête a échoué', other: 'requêtes ont échoué' })} chez l’appelant`}.`,
    seeRequests: 'Voir les requêtes',
    unpriced: (number: number) =>
      count(number, { one: 'modèle n’a pas de prix', other: 'modèles n’ont pas de prix' }),
    unpricedDetail: (names: string) =>
      `Les requêtes des comptes payants à ces modèles sont refusées : ${names}.`,
    seeModels: 'Voir les modèles',
    budget: (name: string, share: string) => `${name} a utilisé ${share} de son budget`,
    budgetDetail: (spent: string, limit: string) => `${spent} sur ${limit}.`,
    budgetUntil: (day: string) => `Le ${day}, il repart de zéro.`,
    budgetStops: 'D’ici là les requêtes reçoivent le statut 402.',
    budgetStopsRaised: 'Tant qu’il n’est pas relevé, les requêtes reçoivent le statut 402.',
    yourBudget: 'Votre compte',
    yourDepartment: 'Votre service',
    secondFactor: [
      'Votre connexion se fait en une seule étape',
      'Vous administrez d’autres personnes : il en faudrait deux.',
    ],
    addSecondFactor: 'En ajouter une',
  },
  steps: {
    title: 'Premiers pas',
    progress: (done: number, all: number) => `${done} sur ${all} faits`,
    verified: 'Confirmer votre adresse',
    key: 'Créer une clé API',
    funded: 'Disposer d’un solde',
    request: 'Envoyer la première requête',
    waiting: 'Elle apparaît ici dès son arrivée.',
    done: 'fait',
    open: 'à faire',
    all: 'Tout est prêt. Les chiffres se remplissent désormais.',
    dismiss: 'Masquer ces étapes',
    go: 'Ouvrir',
  },
  send: {
    title: 'Envoyer une requête',
    detail: (variable: Child): Child => ['La variable ', variable, ' contient votre jeton d’API.'],
  },
  spenders: {
    title: 'Les plus grandes dépenses',
    person: 'Personne',
    requests: 'Requêtes',
    spend: 'Dépenses',
    share: 'Part',
    gone: 'n’est plus là',
  },
  latest: { all: 'Toutes les requêtes' },
} satisfies HomeWords;
