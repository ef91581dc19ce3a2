/** The overview of whoever is signed in. */
import type { Child } from 'hono/jsx';

export const en = {
  title: 'Overview',
  balance: {
    title: 'Balance',
    exempt: 'Your requests are counted at cost and charged to nobody.',
    prepaid: 'Prepaid. What a request costs is taken when it ends.',
    empty: 'Empty: requests to models with a price are refused with status 402',
    howToAdd: 'Add money with this command on the server:',
    askToAdd: (email: Child): Child => [
      'Ask whoever runs this service to add money to the wallet of ',
      email,
    ],
  },
  start: {
    noModel: 'As soon as there is a chat model, a line to paste appears here.',
    baseUrl: (address: Child): Child => ['OpenAI clients use the base URL ', address],
  },
  requests: {
    title: 'Latest requests',
    none: 'No request yet',
    noneDetail: 'Requests appear here a moment after they end.',
  },
  keys: {
    title: 'API keys',
    none: 'No key yet',
    noneDetail: 'Create one here; its token is shown once.',
    name: 'Name',
    token: 'Token',
    state: 'State',
    lastUsed: 'Last used',
    active: 'Active',
    activeUntil: (moment: Child): Child => ['Active, expires ', moment],
    disabled: 'Disabled',
    expired: 'Expired',
  },
};

export type DashboardWords = typeof en;
