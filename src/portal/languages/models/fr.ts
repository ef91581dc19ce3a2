/** Français : les modèles : la liste, un modèle, et en interroger un. */
import { countIn } from '../language.ts';
import type { ModelsWords } from './en.ts';

const count = countIn('fr');

export const fr = {
  title: 'Modèles',
  shown: (shown: number, all: number) =>
    shown === all
      ? `${count(all, { one: 'modèle', other: 'modèles' })}, prix en dollars pour un million de jetons`
      : `${shown} sur ${count(all, { one: 'modèle', other: 'modèles' })}, prix en dollars pour un million de jetons`,
  search: 'Nom, éditeur ou alias',
  does: 'Capacités',
  outputLimit: 'Sortie maximale',
  firstToken: 'Premier jeton',
  speed: 'Jetons par seconde',
  answered: 'Réponses, 7 jours',
  answeredShort: 'Réponses',
  inputPrice: 'Prix d’entrée',
  key: 'Clé',
  noPrice: 'Sans prix',
  atLeast: (tokens: string) => `au moins ${tokens}`,
  atMost: (price: string) => `au plus ${price}`,
  measured:
    'Les temps sont les médianes de toutes les requêtes des sept derniers jours, à partir de dix requêtes.',
  ownUse: 'Votre usage, 30 jours',
  ownUsed: (requests: number, cost: string) =>
    `${count(requests, { one: 'requête', other: 'requêtes' })}, ${cost}`,
} satisfies ModelsWords;
