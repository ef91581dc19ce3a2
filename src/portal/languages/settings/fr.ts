/** Français : les réglages d’un compte. */
import type { SettingsWords } from './en.ts';

export const fr = {
  title: 'Réglages',
  pages: {
    profile: 'Profil',
    security: 'Connexion et sécurité',
    notifications: 'Notifications',
    data: 'Vos données',
  },
  profile: {
    title: 'Profil',
    name: 'Votre nom',
    nameHelp: 'Tel que vos collègues le voient. Il peut rester vide.',
    language: 'Langue',
    languageHelp: 'De vos pages et de vos e-mails.',
    theme: 'Thème',
    themeHelp: 'De ce navigateur.',
    themes: { system: 'Comme le système', light: 'Clair', dark: 'Sombre' },
    action: 'Enregistrer le profil',
    done: 'Votre profil est enregistré.',
  },
  email: {
    title: 'Adresse e-mail',
    text: (email) =>
      `C’est ${email}. Une nouvelle adresse prend effet dès que vous avez suivi le lien qui y est envoyé ; d’ici là, rien ne change.`,
    managed: (email) =>
      `C’est ${email}. Ce compte figure dans le fichier de configuration du serveur ; seul l’exploitant de ce service peut changer l’adresse.`,
    next: 'Nouvelle adresse e-mail',
    action: 'Envoyer le lien',
    asked: (email) =>
      `Un e-mail est en route vers ${email}. Votre adresse change dès que vous suivez son lien.`,
    done: (email) => `Votre adresse est désormais ${email}.`,
    confirm: 'Changer votre adresse e-mail',
    confirmText: (before, after) =>
      `Votre compte a l’adresse ${before}. Doit-elle désormais être ${after} ? Vous vous connectez alors avec elle, et les e-mails y arrivent.`,
    confirmAction: 'Changer l’adresse',
    over: 'Ce lien n’est plus valable',
    overText: (email) =>
      `Un lien vers une autre adresse sert une fois, en 24 heures, et dans le compte qui l’a demandé. Vous êtes connecté en tant que ${email}.`,
    back: 'Vers les réglages',
  },
  proof: {
    password: 'Votre mot de passe',
    passwordHelp: 'Ou, sans lui :',
    signIn: 'Se reconnecter',
    signInText:
      'Cela ne se fait pas avec un simple navigateur ouvert. Reconnectez-vous et revenez ; vous avez alors dix minutes.',
  },
  dataExport: {
    title: 'Vos données',
    text: 'Un ZIP de tout ce que ce compte contient : profil, clés API sans leurs secrets, requêtes et leurs coûts, relevé du portefeuille, sessions, activité, conditions acceptées et comptes liés. Il est préparé en arrière-plan et gardé un jour, pour vous seul.',
    action: 'Préparer le fichier',
    again: 'En préparer un autre',
    asked: 'Le fichier se prépare. Vous pouvez quitter cette page et revenir.',
    waiting: (requests) =>
      `Le fichier se prépare : ${requests} requêtes jusqu’ici. Vous pouvez quitter cette page et revenir.`,
    download: (megabytes) => `Télécharger (${megabytes} Mo)`,
    until: 'Il sera retiré',
    failed: 'Le fichier n’a pas pu être préparé. Réessayez, ou dites-le à qui gère ce service.',
  },
  deletion: {
    title: 'Supprimer le compte',
    text: 'Votre nom et votre adresse, vos clés API, vos moyens de connexion, vos sessions et vos invitations disparaissent tout de suite et pour toujours. Ce qui a été payé et facturé reste dans les livres, sous un nom qui ne désigne personne.',
    left: (sum) =>
      `Il reste ${sum} dans votre portefeuille, que personne ne pourra plus utiliser. Dépensez-les d’abord, ou demandez-les à qui gère ce service.`,
    email: (email) => `Écrivez ${email} pour confirmer`,
    action: 'Supprimer définitivement',
    done: 'Votre compte est supprimé.',
    obstacles: {
      last_owner:
        'Vous êtes le dernier propriétaire de cette plateforme. Donnez d’abord ce rôle à quelqu’un d’autre.',
      pays_for_others:
        'Votre portefeuille paie pour d’autres personnes de votre organisation. Demandez d’abord à un administrateur de désigner une autre personne qui paie.',
      declared:
        'Ce compte figure dans le fichier de configuration du serveur. Demandez à l’exploitant de ce service de l’en retirer d’abord.',
    },
  },
  password: {
    title: 'Mot de passe',
    text: 'Un nouveau mot de passe déconnecte tous les autres navigateurs.',
    none: 'Vous n’avez pas encore de mot de passe. Avec un mot de passe, vous pourrez vous connecter par votre adresse e-mail.',
    current: 'Mot de passe actuel',
    next: 'Nouveau mot de passe',
    help: 'Au moins 8 caractères. Quelques mots sans rapport entre eux conviennent bien.',
    action: 'Enregistrer le mot de passe',
    done: 'Votre mot de passe est changé, et tous les autres navigateurs sont déconnectés.',
  },
  sessions: {
    title: 'Où vous êtes connecté',
    browser: 'Navigateur',
    address: 'Adresse',
    begun: 'Depuis',
    used: 'Dernière utilisation',
    own: 'ce navigateur',
    unknown: 'Inconnu',
    end: 'Déconnecter',
    endOthers: 'Déconnecter partout ailleurs',
    ended: 'L’autre navigateur est déconnecté.',
    othersEnded: 'Tous les autres navigateurs sont déconnectés.',
  },
} satisfies SettingsWords;
