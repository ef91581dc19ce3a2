/** Français : ce que chaque page peut dire. */
import { countIn } from '../language.ts';
import type { CommonWords } from './en.ts';

const count = countIn('fr');

export const fr = {
  frame: {
    skip: 'Aller au contenu',
    main: 'Menu principal',
    site: 'Site',
    administration: 'Administration',
    openNavigation: 'Ouvrir le menu',
    closeNavigation: 'Fermer le menu',
    account: (email) => `Compte de ${email}`,
    signIn: 'Se connecter',
    signOut: 'Se déconnecter',
    createAccount: 'Créer un compte',
    openDashboard: 'Ouvrir le tableau de bord',
    personal: 'Personnel',
    balance: 'Solde',
    daysLeft: (days) => count(days, { one: 'jour', other: 'jours' }),
    slogan: 'L’inférence, acheminée et mesurée.',
    breadcrumb: 'Où vous êtes',
  },
  preferences: {
    theme: 'Thème',
    language: 'Langue',
    followsSystem: 'Thème : celui du système. Passer au clair',
    isLight: 'Thème : clair. Passer au sombre',
    isDark: 'Thème : sombre. Revenir à celui du système',
  },
  pages: {
    overview: 'Vue d’ensemble',
    keys: 'Clés',
    models: 'Modèles',
    requests: 'Requêtes',
    settings: 'Réglages',
    invites: 'Invitations',
    start: 'Accueil',
  },
  site: {
    product: 'Produit',
    developers: 'Développement',
    company: 'Entreprise',
    legal: 'Mentions légales',
  },
  palette: {
    open: 'Chercher ou aller à',
    label: 'Chercher une page',
    none: 'Rien ne porte ce nom',
    hint: 'Les flèches choisissent, Entrée ouvre, Échap ferme',
  },
  action: {
    cancel: 'Annuler',
    close: 'Fermer',
    dismiss: 'Masquer',
    copy: 'Copier',
    copied: 'Copié',
    show: 'Afficher',
    hide: 'Cacher',
    search: 'Chercher',
    more: 'Autres actions',
  },
  form: {
    optional: 'facultatif',
    mistakes: (number) =>
      number === 1 ? 'Un champ est à revoir' : `${count(number, { other: 'champs' })} sont à revoir`,
  },
  table: {
    sortAscending: 'tri croissant',
    sortDescending: 'tri décroissant',
    any: 'tous',
    clear: (name) => `${name} : tous`,
  },
  paging: {
    label: 'Pages de la liste',
    previous: 'Précédente',
    next: 'Suivante',
    page: (page) => `Page ${page}`,
    range: (from, to, total) => `${from} à ${to} sur ${total}`,
  },
  chart: {
    asTable: 'En tableau',
    key: 'T passe du graphique au tableau',
    total: 'Total',
    partial: 'en cours',
    level: (balance) => `Solde au fil du temps, maintenant ${balance}`,
    today: 'aujourd’hui',
    empty: 'vide',
  },
  change: {
    up: 'en hausse de',
    down: 'en baisse de',
  },
  time: {
    justNow: 'à l’instant',
    never: 'jamais',
    minutesAndSeconds: (minutes, seconds) => `${minutes} min ${seconds} s`,
  },
  code: {
    language: 'Langage de l’exemple',
  },
  loading: 'Chargement',
} satisfies CommonWords;
