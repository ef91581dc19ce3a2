/** Français : le lien de connexion, et la déconnexion. */
import type { SignInWords } from './en.ts';

export const fr = {
  link: {
    title: (brand) => `Se connecter à ${brand}`,
    paragraphs: (email) => [
      `Vous serez ${email} dans ce navigateur.`,
      'Le lien ne sert qu’une fois. S’il ne vous était pas destiné, fermez cette page.',
    ],
    action: 'Se connecter',
  },
  refused: {
    title: 'Ce lien de connexion ne fonctionne plus',
    paragraphs: [
      'Un lien connecte une fois, dans l’heure qui suit sa création. Celui-ci a servi, est trop ancien ou n’a pas été copié en entier. Si ce navigateur l’a utilisé, vous êtes connecté.',
      'Demandez-en un autre à l’exploitant de ce service. Si c’est vous, créez-le avec :',
    ],
    action: 'Ouvrir le tableau de bord',
  },
  out: {
    title: 'Se déconnecter ?',
    paragraphs: [
      'Vous venez d’un autre site. Rien n’a encore changé : déconnectez-vous, ou fermez cette page pour rester.',
    ],
    action: 'Se déconnecter',
  },
} satisfies SignInWords;
