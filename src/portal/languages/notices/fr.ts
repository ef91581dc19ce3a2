/** Français : ce qui s’est passé, et la suite. */
import type { NoticesWords } from './en.ts';

export const fr = {
  start: 'Aller à l’accueil',
  backTo: (page: string) => `Revenir à « ${page} »`,
  signOut: 'Se déconnecter',
  notFound: {
    title: 'Il n’y a pas de page ici',
    paragraphs: ['L’adresse est peut-être mal saisie, ou la page a été déplacée ou n’a jamais existé.'],
  },
  missing: {
    keys: {
      title: 'Cette clé n’existe pas',
      paragraphs: [
        'L’adresse est peut-être mal saisie, ou la clé appartient à quelqu’un dont vous ne voyez pas les clés.',
      ],
    },
    requests: {
      title: 'Cette requête n’existe pas',
      paragraphs: [
        'L’adresse est peut-être mal saisie, ou la requête vient de quelqu’un dont vous ne voyez pas les requêtes.',
      ],
    },
  },
  addressRefused: {
    title: 'Cette adresse demande ce que la page ne connaît pas',
    action: 'Ouvrir la page sans cela',
  },
  databaseIsAway: {
    title: 'La base de données est injoignable',
    paragraphs: [
      'Rien n’est perdu : ce que vous voyez et possédez y est gardé. Rechargez cette page dans quelques secondes.',
      'Si vous exploitez ce serveur, son journal dit pourquoi, et ceci essaie la connexion :',
    ],
  },
  somethingFailed: {
    title: 'Cette page n’a pas pu être produite',
    paragraphs: [
      'Quelque chose a échoué de notre côté, et le journal du serveur dit quoi. Réessayez dans un instant.',
    ],
  },
  suspended: {
    title: 'Votre compte est suspendu',
    paragraphs: [
      'Vos clés API sont refusées entre-temps, et rien n’est supprimé. Demandez la raison à votre administrateur.',
    ],
  },
  archived: {
    title: 'Votre compte est fermé',
    paragraphs: [
      'Vos clés API sont révoquées. Adressez-vous à votre administrateur si vous avez de nouveau besoin du compte.',
    ],
  },
} satisfies NoticesWords;
