/** The overview of whoever is signed in. */
import type { Child } from 'hono/jsx';
import { countIn } from '../language.ts';

const count = countIn('en');

export const en = {
  title: 'Overview',
  balance: {
    title: 'Balance',
    exempt: 'Your requests are counted at cost and charged to nobody.',
    prepaid: 'Prepaid. What a request costs is taken when it ends.',
    empty: 'Empty: requests are refused with status 402',
    howToAdd: 'Whoever runs this server adds money:',
  },
  start: {
    noModel: 'As soon as there is a chat model, a line to paste appears here.',
    baseUrl: (address: Child): Child => ['OpenAI clients use the base URL ', address],
  },
  requests: {
    title: 'Latest requests',
    none: 'No request yet',
    noneDetail: 'Send one, then load this page again.',
    time: 'Time',
    model: 'Model',
    provider: 'Provider',
    key: 'Key',
    cached: 'Cached',
    firstToken: 'First token',
    attempts: (number: number) => `Attempt ${number}: those before failed`,
    status: 'Status',
    input: 'Input tokens',
    output: 'Output tokens',
    duration: 'Duration',
    cost: 'Cost',
    tokensIn: (number: string) => `${number} in`,
    tokensOut: (number: string) => `${number} out`,
    estimated: 'Estimated: the provider sent no count',
    tokens: (number: number) => count(number, { one: 'token', other: 'tokens' }),
    audio: (span: string) => `${span} of audio`,
    characters: (number: number) => count(number, { one: 'character', other: 'characters' }),
    searches: (number: number) => count(number, { one: 'search', other: 'searches' }),
    webSearches: (number: number) => count(number, { one: 'web search', other: 'web searches' }),
    fileSearches: (number: number) => count(number, { one: 'file search', other: 'file searches' }),
    containers: (number: number) => count(number, { one: 'container', other: 'containers' }),
    images: (number: number) => count(number, { one: 'image', other: 'images' }),
    clientLeft: 'client left',
    serverStopped: 'server stopped',
    providerFailed: 'provider failed',
    refused: 'refused',
  },
  keys: {
    title: 'API keys',
    none: 'No key yet',
    noneDetail: 'Make one here; its token is shown once.',
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
