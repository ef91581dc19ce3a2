/** The settings of an account. */

export const en = {
  title: 'Settings',
  pages: {
    profile: 'Profile',
    security: 'Sign-in and security',
    notifications: 'Notifications',
    data: 'Your data',
  },
  profile: {
    title: 'Profile',
    name: 'Your name',
    nameHelp: 'As your colleagues see it. It may be left empty.',
    language: 'Language',
    languageHelp: 'Of your pages and mails.',
    theme: 'Theme',
    themeHelp: 'Of this browser.',
    themes: { system: 'As the system has it', light: 'Light', dark: 'Dark' },
    action: 'Save the profile',
    done: 'Your profile is saved.',
  },
  email: {
    title: 'E-mail address',
    text: (email: string) =>
      `It is ${email}. A new address takes effect once you follow the link sent to it; until then nothing changes.`,
    managed: (email: string) =>
      `It is ${email}. The server’s configuration file names this account; only whoever runs this service can change the address.`,
    next: 'New e-mail address',
    action: 'Send the link',
    asked: (email: string) =>
      `A mail is on its way to ${email}. Your address changes once you follow its link.`,
    done: (email: string) => `Your address is ${email} from now on.`,
    confirm: 'Change your e-mail address',
    confirmText: (before: string, after: string) =>
      `Your account has the address ${before}. Shall it be ${after} from now on? You sign in with it then, and mails go there.`,
    confirmAction: 'Change the address',
    over: 'This link does not work any more',
    overText: (email: string) =>
      `A link to another address works once, within 24 hours, and in the account that asked for it. You are signed in as ${email}.`,
    back: 'To the settings',
  },
  proof: {
    password: 'Your password',
    passwordHelp: 'Or, without it:',
    signIn: 'Sign in again',
    signInText:
      'This cannot be done by an open browser alone. Sign in once more and come back; you have ten minutes then.',
  },
  dataExport: {
    title: 'Your data',
    text: 'A ZIP of all that this account has: profile, API keys without their secrets, requests and their costs, the wallet’s statement, sessions, activity, accepted terms and linked accounts. It is made in the background and kept for a day, for you alone.',
    action: 'Make the file',
    again: 'Make another',
    asked: 'The file is being made. You can leave this page and come back.',
    waiting: (requests: string) =>
      `The file is being made: ${requests} requests so far. You can leave this page and come back.`,
    download: (megabytes: string) => `Download (${megabytes} MB)`,
    until: 'It is removed',
    failed: 'The file could not be made. Try again, or tell whoever runs this service.',
  },
  deletion: {
    title: 'Delete the account',
    text: 'Your name and address, your API keys, ways to sign in, sessions and invitations are gone at once and for good. What was paid and charged stays in the books, under a name that means nobody.',
    left: (sum: string) =>
      `There is ${sum} left in your wallet, which nobody can use then. Spend it first, or ask whoever runs this service for it.`,
    email: (email: string) => `Type ${email} to confirm`,
    action: 'Delete the account for good',
    done: 'Your account is deleted.',
    obstacles: {
      last_owner: 'You are the last owner of this platform. Make somebody else an owner first.',
      pays_for_others:
        'Your wallet pays for other people of your organisation. Ask an administrator to name another person who pays before you go on.',
      declared:
        'The server’s configuration file names this account. Ask whoever runs this service to take it out there first.',
    },
  },
  password: {
    title: 'Password',
    text: 'A new one signs out all other browsers.',
    none: 'You have no password yet. With one you can sign in with your e-mail address.',
    current: 'Current password',
    next: 'New password',
    help: 'At least 8 characters. A few words that have nothing to do with each other are good.',
    action: 'Save the password',
    done: 'Your password is changed, and all other browsers are signed out.',
  },
  sessions: {
    title: 'Where you are signed in',
    browser: 'Browser',
    address: 'Address',
    begun: 'Since',
    used: 'Last used',
    own: 'this browser',
    unknown: 'Unknown',
    end: 'Sign out',
    endOthers: 'Sign out everywhere else',
    ended: 'That browser is signed out.',
    othersEnded: 'All other browsers are signed out.',
  },
};

export type SettingsWords = typeof en;
