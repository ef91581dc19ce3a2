/** Français : la page d’accueil. */
import { countIn } from '../language.ts';
import type { LandingWords } from './en.ts';

const count = countIn('fr');

export const fr = {
  title: 'Une passerelle d’inférence',
  description:
    'Une adresse pour tous les modèles : accès vérifié, limité, mesuré et payé d’un portefeuille prépayé.',
  heading: 'Une adresse pour tous les modèles',
  models: (number) => count(number, { one: 'modèle', other: 'modèles' }),
  providers: (number) => count(number, { one: 'fournisseur', other: 'fournisseurs' }),
  lead: (models, providers) =>
    `${models} de ${providers} par un seul point d’accès, dans le protocole que votre client parle déjà. Chaque requête est vérifiée, limitée, comptée au jeton près et payée d’un portefeuille prépayé.`,
  docs: 'Envoyer la première requête',
  example: {
    title: 'Ce qu’on sait d’une requête',
    detail: 'Un exemple',
    live: {
      send: 'Envoyer une vraie requête',
      again: 'En envoyer une autre',
      detail: 'En direct, par le simulateur',
      waited: 'Simulateur : premier contenu',
      cost: 'Coût, non facturé',
      waiting: 'Votre requête est en route…',
      failed: 'La requête n’a pas abouti. Réessayez dans une minute.',
      note: 'Envoyée à l’instant par la passerelle de cette installation à son simulateur intégré : sans jeton ni portefeuille, et rien n’en est conservé. Les temps sont ceux de cette seule requête, et la première après un démarrage est la plus lente ; ce qui est mesuré plus bas l’est sur beaucoup.',
      answer: 'La réponse',
    },
    bill: 'Ce qu’elle a coûté',
    spans: {
      gate: 'Clé, portefeuille, route',
      failed: 'Premier fournisseur : surchargé',
      waited: 'Second fournisseur : attente',
      streamed: 'La réponse en flux',
      settled: 'Règlement',
    },
    lines: { input: 'Entrée', cached: 'Lu dans le cache', output: 'Sortie' },
    taken: 'Pris dans le portefeuille',
    note: 'L’essai manqué n’a rien coûté, et l’appelant a vu une réponse. Le relevé garde quantités, temps et coûts, jamais le contenu.',
  },
  measured: {
    title: 'Mesuré',
    added: 'ajoutées à une requête, en médiane',
    rate: 'requêtes par seconde',
    memory: 'de mémoire sous charge',
    contents: 'prompts écrits dans la base',
    source: (day, cores) =>
      `Réponses entières sur PostgreSQL, un processus, sur ${cores} cœurs partagés avec client, fournisseur et base, ${day}. npm run bench le mesure à nouveau.`,
  },
  what: 'Pour ceux qui répondent de la facture',
  offers: {
    protocols: {
      name: 'Tout protocole',
      text: 'Chat completions, responses, messages et generateContent. Tout modèle de chat répond à tous.',
    },
    failover: {
      name: 'Bascule',
      text: 'Jusqu’au premier contenu, le fournisseur suivant est interrogé. Un flux rompu n’a jamais l’air entier.',
    },
    wallet: {
      name: 'Un portefeuille prépayé',
      text: 'Dès qu’il est vide, ce qui a un prix est refusé avant qu’un fournisseur soit interrogé. Les coûts sont exacts au milliardième de dollar.',
    },
    keys: {
      name: 'Des clés avec verrous et limites',
      text: 'Modèles, fournisseurs et régions ; requêtes et jetons par minute ; requêtes à la fois.',
    },
    record: {
      name: 'Chaque essai noté',
      text: 'Qui a été interrogé, combien de temps, ce qui a été compté et ce que cela a coûté, une ligne par requête.',
    },
    privacy: {
      name: 'Les contenus restent dehors',
      text: 'Ni la base ni le journal ne contiennent ce qui a été demandé et répondu.',
    },
  },
  run: 'L’exploiter soi-même',
  signIn: 'Se connecter',
  signInHow: (command) => [
    'Au démarrage, le serveur écrit un lien dans son terminal, et ',
    command,
    ' en crée un autre. Ouvrez-le dans ce navigateur et pressez le bouton : il connecte une fois, dans l’heure.',
  ],
  send: 'Envoyer une requête',
  sendHow: (variable) => [
    'Mettez un jeton d’API dans la variable ',
    variable,
    '. Le premier démarrage donne un jeton et une ligne qui interroge un modèle.',
  ],
  baseUrl: (address) => ['Les clients OpenAI marchent tels quels, avec l’adresse de base ', address],
} satisfies LandingWords;
