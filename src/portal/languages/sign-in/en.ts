/** The sign-in link, and signing out. */

export const en = {
  link: {
    title: (brand: string) => `Sign in to ${brand}`,
    paragraphs: (email: string) => [
      `You will be ${email} in this browser.`,
      'The link works once. If it was not meant for you, close this page.',
    ],
    action: 'Sign in',
  },
  refused: {
    title: 'This sign-in link does not work any more',
    paragraphs: [
      'A link signs in once, within an hour of being made. This one was used, is too old, or was not copied whole. If this browser used it, you are signed in.',
      'Ask whoever runs this service for another. If that is you, make one with:',
    ],
    action: 'Open the dashboard',
  },
  out: {
    title: 'Sign out?',
    paragraphs: [
      'You came from another site. Nothing has changed yet: sign out, or close this page to stay.',
    ],
    action: 'Sign out',
  },
};

export type SignInWords = typeof en;
