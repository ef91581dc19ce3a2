/** Français : le guide. */
import type { Child } from 'hono/jsx';
import type { GuideWords } from './en.ts';

export const fr = {
  title: 'Guide',
  contents: 'Sommaire',
  noModel: 'Aucun modèle de chat ne vous est encore proposé : mettez son nom à la place de MODEL.',
  noKey: 'Vous n’avez pas de clé utilisable en ce moment.',
  makeKey: 'En créer une',
  ownKey: (name: Child): Child => [
    'C’est votre clé ',
    name,
    '. Son jeton entier a été montré une seule fois, à sa création.',
  ],
  sections: {
    key: {
      title: 'Votre clé',
      text: 'Chaque requête porte un jeton. Gardez-le dans une variable d’environnement et hors du code partagé.',
    },
    first: {
      title: 'Première requête',
      text: 'Tout client d’OpenAI fonctionne avec cette adresse de base et votre jeton.',
    },
    protocols: {
      title: 'Protocoles',
      text: 'Les mêmes modèles répondent dans quatre protocoles. Les requêtes sont converties quand le fournisseur d’un modèle en parle un autre.',
    },
    streaming: {
      title: 'Réponses en flux',
      text: 'Avec stream, la réponse arrive en événements envoyés par le serveur. Les derniers indiquent l’usage ; une réponse interrompue finit par une erreur et n’a jamais l’air complète.',
    },
    tools: {
      title: 'Outils',
      text: 'Décrivez des fonctions, exécutez ce que le modèle appelle, et renvoyez le résultat dans un message du rôle tool.',
    },
    errors: {
      title: 'Erreurs et nouvelles tentatives',
      text: 'x-should-retry dit si une autre tentative est utile, et retry-after quand. Un fournisseur défaillant est remplacé par le suivant avant que vous ne voyiez une erreur. Idempotency-Key rend une tentative sûre : elle n’est facturée qu’une fois.',
    },
    limits: {
      title: 'Limites',
      text: 'Une clé et son titulaire peuvent être limités en requêtes par minute, en jetons par minute et en requêtes simultanées. Les en-têtes x-ratelimit des réponses disent ce qui reste, et cette adresse indique tout, avec budget et solde.',
    },
    sessions: {
      title: 'Sessions et étiquettes',
      text: 'Une session garde une conversation chez le même fournisseur, ce qui profite de son cache. Étiquettes et utilisateurs finaux se retrouvent dans l’usage.',
    },
    budgets: {
      title: 'Budgets',
      text: 'Clés, personnes et organisations peuvent avoir des budgets par jour, semaine, mois ou au total. Ce qu’une requête peut coûter au plus est d’abord réservé ; s’il reste trop peu, elle reçoit le statut 402 avec les jetons qui pourraient être payés.',
    },
    clients: {
      title: 'SDK et agents',
      text: 'Réglages pour les clients les plus utilisés.',
    },
    production: {
      title: 'Avant la production',
      text: 'Ce qui mérite un regard avant que d’autres n’en dépendent.',
    },
  },
  statuses: {
    400: 'La requête n’est pas valide : le message dit quelle partie.',
    401: 'Le jeton manque, est mal saisi, désactivé ou expiré.',
    402: 'Le solde ou un budget est épuisé. Ne réessayez pas avant un versement.',
    403: 'Un verrou de la clé l’interdit : la phrase dit lequel.',
    404: 'Ce modèle n’existe pas, ou pas pour vous.',
    429: 'Une limite est atteinte. Attendez comme retry-after le dit.',
    '502, 503, 504':
      'Tous les fournisseurs possibles ont été essayés et ont échoué. Réessayez après une pause.',
  },
  checklist: [
    'Une clé par service, limitée aux modèles nécessaires, avec un budget et une date de fin.',
    'Des délais de votre client plus longs que la plus longue réponse : recevez en flux ce qui dure.',
    'De nouvelles tentatives avec une pause pour 429 et 5xx, aucune pour 400, 401, 402 et 403.',
    'Le x-request-id des échecs dans votre journal : il retrouve la requête ici.',
    'Un solde qui suffit, et quelqu’un qui lit les e-mails à son sujet.',
  ],
} satisfies GuideWords;
