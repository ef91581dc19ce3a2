/** Français : créer un compte et y entrer. */
import type { AccountsWords } from './en.ts';

export const fr = {
  field: {
    email: 'Adresse e-mail',
    password: 'Mot de passe',
    newPassword: 'Nouveau mot de passe',
    name: 'Votre nom',
    organisation: 'Nom de votre organisation',
  },
  help: {
    password: 'Au moins 8 caractères. Quelques mots sans rapport entre eux conviennent bien.',
    name: 'Tel que vos collègues le voient.',
    organisation: 'Pour qui vous exploitez ce service. Vous pourrez le changer plus tard.',
  },
  login: {
    title: (brand) => `Se connecter à ${brand}`,
    action: 'Se connecter',
    forgot: 'Mot de passe oublié ?',
    noAccount: 'Pas encore de compte ?',
    create: 'Créer un compte',
  },
  signup: {
    title: 'Créer un compte',
    action: 'Créer le compte',
    hasAccount: 'Vous avez déjà un compte ?',
    signIn: 'Se connecter',
    invited: (place, email) => `Vous êtes invité à rejoindre ${place}, avec cette adresse : ${email}.`,
    terms: (terms, use, privacy) => ['J’accepte les ', terms, ', la ', use, ' et la ', privacy, '.'],
    termsLink: 'conditions d’utilisation',
    useLink: 'politique d’utilisation acceptable',
    privacyLink: 'politique de confidentialité',
    joined: (brand) => `Bienvenue sur ${brand}.`,
  },
  elsewhere: {
    title: (host) => `Vous ne pouvez pas être connecté sur ${host}`,
    text: (host) =>
      `Seuls les membres de sa propre organisation sont connectés sur ${host}, et personne qui administre la plateforme : qui exploite cette adresse pourrait agir à votre place. Connectez-vous à l’adresse principale.`,
    action: (address) => `Se connecter sur ${address}`,
  },
  sent: {
    title: 'Consultez vos e-mails',
    verification:
      'Un e-mail est en route vers l’adresse que vous avez donnée. Suivez son lien dans les 24 heures, et saisissez de nouveau votre mot de passe.',
    reset:
      'S’il existe un compte avec cette adresse, un e-mail est en route. Son lien est valable une heure.',
    late: 'Cela peut prendre quelques minutes. Regardez aussi parmi les e-mails indésirables.',
    back: 'Vers la connexion',
  },
  verify: {
    title: 'Confirmez votre adresse e-mail',
    ask: (email) => `Saisissez le mot de passe que vous avez choisi en créant le compte de ${email}.`,
    action: 'Confirmer et se connecter',
    notYours:
      'Vous n’avez pas créé ce compte ? Alors ne faites rien, et il restera fermé. Pour l’utiliser vous-même, choisissez un nouveau mot de passe par le lien ci-dessus.',
    otherSession: (email) =>
      `Vous êtes connecté en tant que ${email}. Le lien est pour un autre compte : déconnectez-vous, puis ouvrez-le de nouveau.`,
    done: 'Votre adresse e-mail est confirmée',
    doneText: (email) => `${email} est confirmée. Il n’y a rien de plus à faire.`,
    doneMessage: 'Votre adresse e-mail est confirmée.',
    over: 'Ce lien ne fonctionne plus',
    overText:
      'Un lien confirme une adresse dans les 24 heures suivant l’e-mail. Faites-vous en envoyer un autre :',
    waiting: 'Votre adresse e-mail n’est pas encore confirmée',
    waitingText: (email) =>
      `Vos clés API fonctionneront dès qu’elle le sera. Suivez le lien de l’e-mail envoyé à ${email}.`,
    again: 'Renvoyer l’e-mail',
    sentMessage: 'Si l’adresse reste à confirmer, un autre e-mail est en route.',
    continue: 'Ouvrir le tableau de bord',
    signIn: 'Se connecter',
  },
  forgot: {
    title: 'Choisir un nouveau mot de passe',
    text: 'Indiquez l’adresse de votre compte. Un e-mail avec un lien y sera envoyé.',
    action: 'Envoyer l’e-mail',
  },
  reset: {
    title: 'Choisir un nouveau mot de passe',
    text: (email) => `Pour ${email}. Tous les navigateurs connectés seront déconnectés.`,
    action: 'Enregistrer et se connecter',
    done: 'Votre mot de passe est changé, et tous les autres navigateurs sont déconnectés.',
    over: 'Ce lien ne fonctionne plus',
    overText:
      'Un lien change un mot de passe une seule fois, dans l’heure qui suit l’e-mail. Faites-vous en envoyer un autre.',
    again: 'Envoyer un autre e-mail',
  },
  invite: {
    title: (place) => `Vous êtes invité à rejoindre ${place}`,
    text: (inviter, place) => `${inviter} vous invite à rejoindre ${place}.`,
    role: 'Rôle',
    department: 'Service',
    address: 'Pour l’adresse',
    until: 'Jusqu’au',
    join: (place) => `Rejoindre ${place}`,
    signIn: 'Se connecter et rejoindre',
    create: 'Créer un compte',
    otherAddress: (email) =>
      `Vous êtes connecté en tant que ${email}. L’invitation est pour l’adresse ci-dessus : déconnectez-vous, puis ouvrez-la de nouveau.`,
    signOut: 'Se déconnecter',
    joined: (place) => `Vous faites maintenant partie de ${place}.`,
    over: 'Cette invitation ne fonctionne plus',
    overText:
      'Une invitation fonctionne une seule fois, pendant sept jours. Elle a peut-être été utilisée ou retirée. Demandez-en une autre.',
    platform: 'l’administration de cette plateforme',
  },
  roles: {
    platform_owner: 'Propriétaire de la plateforme',
    platform_admin: 'Administration de la plateforme',
    org_owner: 'Propriétaire de l’organisation',
    org_admin: 'Administration de l’organisation',
    department_admin: 'Administration du service',
    member: 'Membre',
  },
  legal: {
    title: 'Les conditions ont changé',
    first: 'Avant de continuer',
    text: (terms, use, privacy) => [
      'Veuillez lire les ',
      terms,
      ', la ',
      use,
      ' et la ',
      privacy,
      '. Vous pourrez utiliser votre compte dès que vous les aurez acceptées.',
    ],
    version: (version) => `Version du ${version}`,
    action: 'Accepter et continuer',
    done: 'Vous avez accepté les conditions.',
    signOut: 'Se déconnecter',
  },
  welcome: {
    title: 'Bienvenue sur Sluice',
    text: (email) =>
      `Ce compte, ${email}, possède tout ici. Donnez-lui un mot de passe, et un nom à votre organisation.`,
    action: 'Enregistrer et continuer',
    later: 'Plus tard',
    anotherLink: 'Ou ouvrez un autre lien de connexion. Sur la machine de ce service, il se crée avec :',
    done: 'Vous pouvez désormais vous connecter avec votre mot de passe.',
  },
} satisfies AccountsWords;
