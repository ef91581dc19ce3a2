/** Français : se connecter avec le compte d’un fournisseur. */
import type { ProvidersWords } from './en.ts';

export const fr = {
  or: 'Ou avec un compte que vous avez déjà',
  goOn: (provider) => `Continuer avec ${provider}`,
  again: (provider) => `Réessayer avec ${provider}`,
  signIn: 'Vers la connexion',
  invitation: 'Vers l’invitation',
  goingOn: {
    title: (provider) => `Vers ${provider}`,
    text: 'Vous y montrez qui vous êtes, puis vous revenez. Si rien ne se passe, appuyez sur le bouton.',
    action: 'Continuer',
  },
  terms: {
    title: 'Une étape avant la création de votre compte',
    text: (email, provider) =>
      `${provider} dit que vous êtes ${email}. Il n’y a pas encore de compte avec cette adresse.`,
    portal: (name, host, organisation) =>
      `Vous venez de ${name} (${host}). Le compte appartiendra à ${organisation}, et vous serez connecté sur ${host}, où la personne qui gère cette adresse pourra agir en votre nom.`,
    action: 'Accepter et créer le compte',
  },
  refused: {
    denied: (provider) => ({
      title: `Vous n’avez pas été connecté chez ${provider}`,
      text: `La connexion y a été arrêtée, par vous ou par ${provider}. Rien n’a été fait ici.`,
    }),
    stale: (provider) => ({
      title: 'Cette connexion n’est plus valable',
      text: `Elle a commencé il y a plus de dix minutes ou dans un autre navigateur, ou elle est déjà terminée. Recommencez avec ${provider}.`,
    }),
    away: (provider) => ({
      title: `${provider} est injoignable`,
      text: 'Il n’a pas répondu, ou sa réponse n’a pas de sens. Réessayez dans un instant, ou connectez-vous autrement. Si cela continue, dites-le à qui gère ce service.',
    }),
    unverified_there: (provider) => ({
      title: `${provider} ne garantit pas votre adresse e-mail`,
      text: `Confirmez l’adresse chez ${provider} et revenez, ou connectez-vous ici avec un mot de passe et liez ${provider} dans vos réglages.`,
    }),
    unverified_here: (provider) => ({
      title: 'Il y a déjà un compte avec votre adresse',
      text: `Son adresse n’a jamais été confirmée, il n’est donc pas lié à ${provider} de lui-même. Si vous l’avez créé, suivez le lien de l’e-mail reçu alors, et liez ${provider} dans vos réglages. Sinon, choisissez un mot de passe par « Mot de passe oublié ? » : il sera alors à vous.`,
    }),
    other_identity: (provider) => ({
      title: `Votre compte est lié à un autre compte chez ${provider}`,
      text: 'Connectez-vous avec celui-là, ou comme d’habitude, et changez le lien dans vos réglages.',
    }),
    other_provider: () => ({
      title: 'Votre organisation se connecte ailleurs',
      text: 'Les personnes de votre domaine se connectent seulement par le fournisseur de leur organisation. Prenez son bouton sur la page de connexion.',
    }),
    invited_otherwise: (provider) => ({
      title: 'L’invitation est pour une autre adresse',
      text: `Elle est pour une adresse que ${provider} ne donne pas comme la vôtre. Choisissez là-bas le compte qui a l’adresse invitée, ou ouvrez l’invitation de nouveau et créez un compte avec un mot de passe.`,
    }),
    invite_over: () => ({
      title: 'Cette invitation n’est plus valable',
      text: 'Elle a peut-être été utilisée ou retirée, ou elle a plus de sept jours. Demandez-en une autre à la personne qui vous a invité. Aucun compte n’a été créé.',
    }),
  },
  handoff: {
    question: (host) => `Continuer vers ${host} ?`,
    consequence: (email, host) =>
      `Vous serez connecté sur ${host} en tant que ${email}. La personne qui gère cette adresse pourra alors agir en votre nom. Continuez seulement si vous avez commencé là-bas vous-même.`,
    goOn: (host) => `Continuer vers ${host}`,
    goingOn: 'Si rien ne se passe, appuyez sur le bouton.',
    stay: 'Se connecter ici plutôt',
    notThere: (host) =>
      `Vous êtes connecté ici et non sur ${host} : un fournisseur n’y connecte que les membres de sa propre organisation, et personne qui administre la plateforme.`,
    title: 'Cette connexion n’est plus valable',
    text: 'Le retour marche une fois, pendant un court moment, et dans le navigateur qui l’a commencée. Recommencez.',
  },
  settings: {
    provider: 'Fournisseur',
    account: 'Compte',
    change: 'Modifier',
    title: 'Se connecter avec d’autres comptes',
    text: 'Un compte lié vous connecte ici.',
    linked: 'Le compte est lié. Vous pouvez désormais vous connecter avec lui.',
    taken: 'Ce compte est lié à un autre compte ici, ou le vôtre en a déjà un de ce fournisseur.',
    link: (provider) => `Lier ${provider}`,
    unlink: (provider) => `Délier ${provider}`,
    unlinked: 'Le compte n’est plus lié.',
    none: 'Non lié',
  },
} satisfies ProvidersWords;
