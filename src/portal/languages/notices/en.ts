/** What happened, and what to do next. */

export const en = {
  start: 'Go to the start',
  backTo: (page: string) => `Back to ${page}`,
  signOut: 'Sign out',
  notFound: {
    title: 'There is no page here',
    paragraphs: ['The address may be mistyped, or the page has moved or was never there.'],
  },
  /** One thing of a list, by the name of its page. */
  missing: {
    keys: {
      title: 'There is no such key',
      paragraphs: ['The address may be mistyped, or the key belongs to somebody whose keys you do not see.'],
    },
    requests: {
      title: 'There is no such request',
      paragraphs: [
        'The address may be mistyped, or the request was made by somebody whose requests you do not see.',
      ],
    },
  },
  addressRefused: {
    title: 'This address asks for what the page does not know',
    action: 'Open the page without it',
  },
  databaseIsAway: {
    title: 'The database cannot be reached',
    paragraphs: [
      'Nothing is lost: what you see and own is kept there. Load this page again in a few seconds.',
      'If you run this server, its log says why, and this tries the connection:',
    ],
  },
  somethingFailed: {
    title: 'This page could not be made',
    paragraphs: [
      'Something went wrong on our side, and the log of the server says what. Try again in a moment.',
    ],
  },
  suspended: {
    title: 'Your account is suspended',
    paragraphs: ['Your API keys are refused meanwhile, and nothing is deleted. Ask your administrator why.'],
  },
  archived: {
    title: 'Your account is closed',
    paragraphs: ['Your API keys are revoked. Ask your administrator if you need the account again.'],
  },
};

export type NoticesWords = typeof en;
