/** Français : les réglages d’un compte. */
import type { SettingsWords } from './en.ts';

export const fr = {
  title: 'Réglages',
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
    ended: 'Ce navigateur est déconnecté.',
    othersEnded: 'Tous les autres navigateurs sont déconnectés.',
  },
} satisfies SettingsWords;
