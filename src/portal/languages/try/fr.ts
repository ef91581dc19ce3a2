/** Français : essayer un modèle depuis sa page. */
import type { TryWords } from './en.ts';

export const fr = {
  title: 'Essayer',
  charged: 'Facturé et journalisé comme toute requête.',
  free: 'Compté et journalisé comme toute requête, sans être facturé.',
  prompt: 'Prompt',
  answerLimit: 'Réponse d’au plus',
  tokens: (number: string) => `${number} jetons`,
  send: 'Envoyer',
  stop: 'Arrêter',
  answer: 'Réponse',
  atMost: (cost: string) => `Coûte au plus ${cost}`,
  waiting: 'En attente de la réponse',
  stopped: 'Arrêté. Ce qui est arrivé jusque-là est facturé.',
  failed: 'L’envoi a échoué. Réessayez.',
  facts: {
    input: 'Jetons d’entrée',
    output: 'Jetons de sortie',
    cost: 'Coût',
    first: 'Premier jeton',
    duration: 'Durée',
    id: 'Requête',
  },
} satisfies TryWords;
