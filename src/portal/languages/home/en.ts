/** The overview: figures, what needs attention, first steps. */
import type { Child } from 'hono/jsx';
import { countIn } from '../language.ts';

const count = countIn('en');
const daysOf = (number: number) =>
  number < 1 ? 'less than a day' : count(number, { one: 'day', other: 'days' });

export const en = {
  ownAlone: 'These figures are of your own requests alone.',
  showAll: 'Show all that you administer',
  period: 'Period',
  periods: { 1: 'Today', 7: '7 days', 30: '30 days' },
  figures: {
    spend: 'Spend',
    requests: 'Requests',
    tokens: 'Tokens',
    errorRate: 'Error rate',
    latency: 'Response time, median',
    points: (number: string) => `${number} pp`,
    before: { 1: 'on yesterday until this hour', 7: 'on the 7 days before', 30: 'on the 30 days before' },
    cached: (share: string) => `${share} read from cache`,
    failed: (number: number) => `${count(number, { other: 'failed' })}`,
    p95: (span: string) => `p95 ${span}`,
  },
  chart: {
    title: 'Spend by model',
    titleToday: 'Spend by hour',
    day: 'Day',
    hour: 'Hour',
    spend: 'Spend',
    others: 'Others',
    label: (amount: string) => `Spend in this period: ${amount}`,
    none: 'Nothing was spent in this period',
    open: 'Open in usage',
  },
  balance: {
    title: 'Balance',
    lasts: (days: number, amount: string) => `Lasts ${daysOf(days)} at ${amount} a day.`,
    lastsPaying: (days: number, amount: string, name: string) =>
      `Lasts ${daysOf(days)} at ${amount} a day for all of ${name}.`,
    steady: 'Nothing was spent in the last seven days.',
    byOrganisation: (name: string) => `${name} pays for your requests.`,
  },
  attention: {
    title: 'Needs attention',
    unverified: ['Your address is not confirmed', 'Mails about your account may not reach you.'],
    verify: 'Open settings',
    empty: [
      'Your balance is used up',
      'Requests to models with a price are refused with status 402 until money is added.',
    ],
    low: (amount: string) => `Your balance is down to ${amount}`,
    lowDetail: (day: string) =>
      `At the present rate it is empty on ${day}. Then requests to models with a price get status 402.`,
    lowSteady: 'When it is used up, requests to models with a price get status 402.',
    addFunds: 'See the balance',
    keyEnds: (name: string) => `The key “${name}” ends soon`,
    /** `owner` is null where the key is the reader's own. */
    keyEndsDetail: (moment: Child, owner: string | null): Child => [
      'It expires ',
      moment,
      owner === null
        ? '. Create another before then.'
        : ` and belongs to ${owner}. Create another before then.`,
    ],
    keyEnded: (name: string) => `The key “${name}” has expired`,
    keyEndedDetail: (moment: Child, owner: string | null): Child => [
      'It ended ',
      moment,
      owner === null
        ? '. Whoever still uses it gets status 401.'
        : ` and belongs to ${owner}. Whoever still uses it gets status 401.`,
    ],
    seeKey: 'See the key',
    seeUsage: 'See usage',
    providerFails: (name: string, share: string) => `${name} fails ${share} of its attempts`,
    providerDetail: (failed: number, tried: number, reached: number) =>
      `${failed} of the last ${tried} attempts in 24 hours; ${reached === 0 ? 'other providers answered all of them' : `${count(reached, { one: 'request', other: 'requests' })} failed for the caller`}.`,
    seeRequests: 'See requests',
    unpriced: (number: number) => count(number, { one: 'model has no price', other: 'models have no price' }),
    unpricedDetail: (names: string) =>
      `Requests to these models are refused for accounts that pay: ${names}.`,
    seeModels: 'See models',
    budget: (name: string, share: string) => `${name} has used ${share} of its budget`,
    budgetDetail: (spent: string, limit: string) => `${spent} of ${limit}.`,
    budgetUntil: (day: string) => `It begins anew on ${day}.`,
    budgetStops: 'Requests get status 402 until then.',
    budgetStopsRaised: 'Requests get status 402 until it is raised.',
    yourBudget: 'Your account',
    yourDepartment: 'Your department',
    secondFactor: ['Your sign-in takes a single step', 'You administer others, so it should take two.'],
    addSecondFactor: 'Set one up',
  },
  steps: {
    title: 'First steps',
    progress: (done: number, all: number) => `${done} of ${all} done`,
    verified: 'Confirm your address',
    key: 'Create an API key',
    funded: 'Have money to spend',
    request: 'Send the first request',
    waiting: 'It is seen here as soon as it arrives.',
    done: 'done',
    open: 'to do',
    all: 'Everything is set up. The figures fill from here on.',
    dismiss: 'Hide these steps',
    go: 'Open',
  },
  send: {
    title: 'Send a request',
    detail: (variable: Child): Child => ['The variable ', variable, ' holds your API token.'],
  },
  spenders: {
    title: 'Largest spenders',
    person: 'Person',
    requests: 'Requests',
    spend: 'Spend',
    share: 'Share',
    gone: 'no longer here',
  },
  latest: { all: 'All requests' },
};

export type HomeWords = typeof en;
