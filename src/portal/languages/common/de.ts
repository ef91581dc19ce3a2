/** Deutsch: was jede Seite sagen darf. */
import { countIn } from '../language.ts';
import type { CommonWords } from './en.ts';

const count = countIn('de');

export const de = {
  frame: {
    skip: 'Zum Inhalt springen',
    main: 'Hauptmenü',
    site: 'Website',
    administration: 'Verwaltung',
    openNavigation: 'Menü öffnen',
    closeNavigation: 'Menü schließen',
    account: (email) => `Konto von ${email}`,
    signIn: 'Anmelden',
    signOut: 'Abmelden',
    createAccount: 'Konto anlegen',
    openDashboard: 'Zur Übersicht',
    personal: 'Persönlich',
    balance: 'Guthaben',
    daysLeft: (days) => count(days, { one: 'Tag', other: 'Tage' }),
    slogan: 'Inferenz, durchgelassen und gemessen.',
    breadcrumb: 'Wo Sie sind',
  },
  preferences: {
    theme: 'Darstellung',
    language: 'Sprache',
    followsSystem: 'Darstellung: wie das System. Zu hell wechseln',
    isLight: 'Darstellung: hell. Zu dunkel wechseln',
    isDark: 'Darstellung: dunkel. Zu der des Systems wechseln',
  },
  pages: {
    overview: 'Übersicht',
    keys: 'Schlüssel',
    models: 'Modelle',
    requests: 'Anfragen',
    settings: 'Einstellungen',
    invites: 'Einladungen',
    start: 'Startseite',
  },
  site: {
    product: 'Produkt',
    developers: 'Entwicklung',
    company: 'Unternehmen',
    legal: 'Rechtliches',
    models: 'Modelle',
    pricing: 'Preise',
    features: 'Funktionen',
    guide: 'Anleitung',
    firstRequest: 'Erste Anfrage',
    apiReference: 'API-Referenz',
    security: 'Sicherheit',
    controls: 'Kontrolle',
    certifications: 'Zertifikate',
    terms: 'Nutzungsbedingungen',
    aup: 'Zulässige Nutzung',
    privacy: 'Datenschutz',
    cookies: 'Cookies',
    dpa: 'Auftragsverarbeitung',
    refund: 'Rückerstattung',
    billing: 'Abrechnung',
    securityText: 'Sicherheitstext',
  },
  palette: {
    open: 'Suchen oder springen',
    label: 'Seiten durchsuchen',
    none: 'Nichts heißt so',
    hint: 'Pfeiltasten wählen, Eingabe öffnet, Escape schließt',
  },
  action: {
    cancel: 'Abbrechen',
    close: 'Schließen',
    dismiss: 'Ausblenden',
    copy: 'Kopieren',
    copied: 'Kopiert',
    show: 'Zeigen',
    hide: 'Verbergen',
    search: 'Suchen',
    more: 'Weitere Aktionen',
  },
  form: {
    optional: 'freiwillig',
    mistakes: (number) =>
      number === 1
        ? 'Ein Feld stimmt noch nicht'
        : `${count(number, { other: 'Felder' })} stimmen noch nicht`,
  },
  table: {
    sortAscending: 'aufsteigend sortiert',
    sortDescending: 'absteigend sortiert',
    any: 'alle',
    clear: (name) => `${name}: alle`,
  },
  paging: {
    label: 'Seiten der Liste',
    previous: 'Zurück',
    next: 'Weiter',
    page: (page) => `Seite ${page}`,
    range: (from, to, total) => `${from} bis ${to} von ${total}`,
  },
  chart: {
    asTable: 'Als Tabelle',
    key: 'T wechselt zwischen Diagramm und Tabelle',
    total: 'Summe',
    partial: 'noch nicht vorbei',
    level: (balance) => `Guthaben im Lauf der Zeit, jetzt ${balance}`,
    today: 'heute',
    empty: 'leer',
  },
  change: {
    up: 'gestiegen um',
    down: 'gesunken um',
  },
  time: {
    justNow: 'gerade eben',
    never: 'nie',
    minutesAndSeconds: (minutes, seconds) => `${minutes} min ${seconds} s`,
  },
  code: {
    language: 'Sprache des Beispiels',
  },
  loading: 'Wird geladen',
} satisfies CommonWords;
