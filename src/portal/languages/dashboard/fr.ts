/** Français : la vue d’ensemble. */
import { countIn } from '../language.ts';
import type { DashboardWords } from './en.ts';

const count = countIn('fr');

export const fr = {
  title: 'Vue d’ensemble',
  balance: {
    title: 'Solde',
    exempt: 'Vos requêtes sont comptées au prix coûtant et facturées à personne.',
    prepaid: 'Prépayé. Le coût d’une requête est pris à sa fin.',
    empty: 'Vide : les requêtes sont refusées avec le statut 402',
    howToAdd: 'Qui exploite ce serveur ajoute de l’argent :',
  },
  start: {
    noModel: 'Dès qu’il y aura un modèle de dialogue, une ligne à coller paraîtra ici.',
    baseUrl: (address) => ['Les clients OpenAI prennent l’adresse de base ', address],
  },
  requests: {
    title: 'Dernières requêtes',
    none: 'Pas encore de requête',
    noneDetail: 'Envoyez-en une, puis rechargez cette page.',
    time: 'Heure',
    model: 'Modèle',
    provider: 'Fournisseur',
    key: 'Clé',
    cached: 'Du cache',
    firstToken: 'Premier jeton',
    attempts: (number: number) => `Tentative ${number} : les précédentes ont échoué`,
    status: 'Statut',
    input: 'Jetons en entrée',
    output: 'Jetons en sortie',
    duration: 'Durée',
    cost: 'Coût',
    tokensIn: (number) => `${number} entrés`,
    tokensOut: (number) => `${number} sortis`,
    estimated: 'Estimé : le fournisseur n’a pas donné de compte',
    tokens: (number) => count(number, { one: 'jeton', other: 'jetons' }),
    audio: (span) => `${span} de son`,
    characters: (number) => count(number, { one: 'caractère', other: 'caractères' }),
    searches: (number) => count(number, { one: 'recherche', other: 'recherches' }),
    webSearches: (number) => count(number, { one: 'recherche web', other: 'recherches web' }),
    fileSearches: (number) =>
      count(number, { one: 'recherche de fichiers', other: 'recherches de fichiers' }),
    containers: (number) => count(number, { one: 'conteneur', other: 'conteneurs' }),
    images: (number) => count(number, { one: 'image', other: 'images' }),
    clientLeft: 'client parti',
    serverStopped: 'serveur arrêté',
    providerFailed: 'échec du fournisseur',
    refused: 'refusée',
  },
  keys: {
    title: 'Clés d’API',
    none: 'Pas encore de clé',
    noneDetail: 'Créez-en une ici ; son jeton est montré une seule fois.',
    name: 'Nom',
    token: 'Jeton',
    state: 'État',
    lastUsed: 'Dernier usage',
    active: 'Active',
    activeUntil: (moment) => ['Active, expire ', moment],
    disabled: 'Désactivée',
    expired: 'Expirée',
  },
} satisfies DashboardWords;
