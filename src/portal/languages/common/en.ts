/** What every page may say: the frame, and the components. */
import { countIn } from '../language.ts';

const count = countIn('en');

export const en = {
  frame: {
    skip: 'Skip to the content',
    main: 'Main',
    site: 'Site',
    administration: 'Administration',
    openNavigation: 'Open the navigation',
    closeNavigation: 'Close the navigation',
    account: (email: string) => `Account of ${email}`,
    signIn: 'Sign in',
    signOut: 'Sign out',
    createAccount: 'Create account',
    openDashboard: 'Open the dashboard',
    personal: 'Personal',
    balance: 'Balance',
    daysLeft: (days: number) => count(days, { one: 'day', other: 'days' }),
    slogan: 'Inference, let through and measured.',
    breadcrumb: 'Where you are',
  },
  preferences: {
    theme: 'Theme',
    language: 'Language',
    followsSystem: 'Theme: as the system. Change to light',
    isLight: 'Theme: light. Change to dark',
    isDark: 'Theme: dark. Change to that of the system',
  },
  pages: {
    overview: 'Overview',
    keys: 'Keys',
    models: 'Models',
    requests: 'Requests',
    settings: 'Settings',
    invites: 'Invitations',
    start: 'Start',
  },
  site: {
    product: 'Product',
    developers: 'Developers',
    company: 'Company',
    legal: 'Legal',
    models: 'Models',
    pricing: 'Pricing',
    features: 'Features',
    guide: 'Guide',
    firstRequest: 'First request',
    apiReference: 'API reference',
    security: 'Security',
    controls: 'Controls',
    certifications: 'Certifications',
    terms: 'Terms',
    aup: 'Acceptable use',
    privacy: 'Privacy',
    cookies: 'Cookies',
    dpa: 'Data processing',
    refund: 'Refunds',
    billing: 'Billing',
    securityText: 'Security text',
  },
  palette: {
    open: 'Search or jump to',
    label: 'Search pages',
    none: 'Nothing has this name',
    hint: 'Arrows choose, Enter opens, Escape closes',
  },
  action: {
    cancel: 'Cancel',
    close: 'Close',
    dismiss: 'Dismiss',
    copy: 'Copy',
    copied: 'Copied',
    show: 'Show',
    hide: 'Hide',
    search: 'Search',
    more: 'More actions',
  },
  form: {
    optional: 'optional',
    mistakes: (number: number) =>
      number === 1
        ? 'One field needs another look'
        : `${count(number, { other: 'fields' })} need another look`,
  },
  table: {
    sortAscending: 'sorted upwards',
    sortDescending: 'sorted downwards',
    any: 'any',
    clear: (name: string) => `Any ${name}`,
  },
  paging: {
    label: 'Pages of the list',
    previous: 'Previous',
    next: 'Next',
    page: (page: number) => `Page ${page}`,
    range: (from: string, to: string, total: string) => `${from} to ${to} of ${total}`,
  },
  chart: {
    asTable: 'As a table',
    key: 'T changes between chart and table',
    total: 'Total',
    partial: 'not over yet',
    level: (balance: string) => `Balance over time, now ${balance}`,
    today: 'today',
    empty: 'empty',
  },
  change: {
    up: 'up',
    down: 'down',
  },
  time: {
    justNow: 'just now',
    never: 'never',
    minutesAndSeconds: (minutes: number, seconds: string) => `${minutes} min ${seconds} s`,
  },
  code: {
    language: 'Language of the example',
  },
  loading: 'Loading',
};

export type CommonWords = typeof en;
