/** The settings of an account. */

export const en = {
  title: 'Settings',
  password: {
    title: 'Password',
    text: 'A new one signs out all other browsers.',
    none: 'You have no password yet. With one you can sign in by your e-mail address.',
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
