/** Français : la vue d’ensemble. */
import type { DashboardWords } from './en.ts';

export const fr = {
  title: 'Vue d’ensemble',
  balance: {
    title: 'Solde',
    exempt: 'Vos requêtes sont comptées au prix coûtant et ne sont facturées à personne.',
    prepaid: 'Prépayé. Le coût d’une requête est pris à sa fin.',
    empty: 'Vide : les requêtes aux modèles payants sont refusées avec le statut 402',
    howToAdd: 'Ajoutez du crédit par cette commande, sur le serveur :',
    askToAdd: (email) => ['Demandez à l’exploitant de ce service du crédit pour ', email],
  },
  start: {
    noModel: 'Dès qu’il y aura un modèle de chat, une ligne à coller paraîtra ici.',
    baseUrl: (address) => ['Les clients OpenAI prennent l’adresse de base ', address],
  },
  requests: {
    title: 'Dernières requêtes',
    none: 'Pas encore de requête',
    noneDetail: 'Les requêtes apparaissent ici dès qu’elles sont terminées.',
  },
  keys: {
    title: 'Clés API',
    none: 'Pas encore de clé',
    noneDetail: 'Créez-en une ici ; son jeton est montré une seule fois.',
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
