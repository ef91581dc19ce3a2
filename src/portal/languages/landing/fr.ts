/** Français : la page d’accueil. */
import type { LandingWords } from './en.ts';

export const fr = {
  title: 'Une passerelle d’inférence',
  description:
    'Une adresse pour tous les modèles : accès vérifié, limité, mesuré et payé d’un porte-monnaie prépayé.',
  running: 'En service',
  signInNeeded: 'Vous n’êtes pas connecté : la première étape ci-dessous dit comment faire',
  heading: 'Une adresse pour tous les modèles',
  lead: 'Sluice se tient entre vos applications et les fournisseurs de modèles. Il vérifie qui demande, tient les limites, compte chaque jeton et prend le coût dans un porte-monnaie prépayé.',
  open: 'Ouvrir le tableau de bord',
  signIn: 'Se connecter',
  signInHow: (command) => [
    'Au démarrage, le serveur écrit un lien dans son terminal, et ',
    command,
    ' en crée un autre. Ouvrez-le dans ce navigateur et pressez le bouton : il connecte une fois, dans l’heure.',
  ],
  send: 'Envoyer une requête',
  sendHow: (variable) => [
    'Mettez un jeton d’API dans la variable ',
    variable,
    ', puis listez les modèles. Le premier démarrage donne un jeton et une ligne qui interroge un modèle.',
  ],
  baseUrl: (address) => ['Les clients OpenAI marchent tels quels, avec l’adresse de base ', address],
} satisfies LandingWords;
