/** The start page. */
import type { Child } from 'hono/jsx';
import { countIn } from '../language.ts';

const count = countIn('en');

export const en = {
  title: 'An inference gateway',
  description:
    'One address for every model: authenticated, limited, measured and charged from a prepaid wallet.',
  heading: 'One address for every model',
  models: (number: number) => count(number, { one: 'model', other: 'models' }),
  providers: (number: number) => count(number, { one: 'provider', other: 'providers' }),
  lead: (models: string, providers: string) =>
    `${models} from ${providers} through one endpoint, in the protocol that your client already speaks. Every request is checked, limited, counted to the token and charged from a prepaid wallet.`,
  docs: 'Send the first request',
  example: {
    title: 'What is known of a request',
    detail: 'An example',
    live: {
      send: 'Send a live request',
      again: 'Send another',
      detail: 'Live, through the simulator',
      waited: 'Simulator: first content',
      cost: 'Cost, charged to nobody',
      waiting: 'Your request is on its way…',
      failed: 'The request did not come through. Try again in a minute.',
      note: 'Sent just now through the gateway of this installation to its built-in simulator: without a token or a wallet, and nothing of it is stored. The times are of this one alone, and the first after a start takes longest; what is measured below is of many.',
      answer: 'The answer',
    },
    bill: 'What it cost',
    spans: {
      gate: 'Key, wallet, route',
      failed: 'First provider: overloaded',
      waited: 'Second provider: waiting',
      streamed: 'Streaming the answer',
      settled: 'Settlement',
    },
    lines: { input: 'Input', cached: 'Read from the cache', output: 'Output' },
    taken: 'Taken from the wallet',
    note: 'The failed attempt cost nothing, and the caller saw one answer. The record keeps counts, times and costs, never the content.',
  },
  measured: {
    title: 'Measured',
    added: 'added to a request at the median',
    rate: 'requests a second',
    memory: 'of memory under load',
    contents: 'prompts written to the database',
    source: (day: string, cores: string) =>
      `Whole answers on PostgreSQL, one process, on ${cores} cores shared with client, upstream and database, ${day}. npm run bench measures it again.`,
  },
  what: 'Built for people who answer for the bill',
  offers: {
    protocols: {
      name: 'Every protocol',
      text: 'Chat completions, responses, messages and generateContent. Any chat model answers all of them.',
    },
    failover: {
      name: 'Failover',
      text: 'The next provider is asked until the first content. A stream that breaks off never looks whole.',
    },
    wallet: {
      name: 'A prepaid wallet',
      text: 'Once it is empty, what has a price is refused before a provider is asked. Costs are exact to a billionth of a dollar.',
    },
    keys: {
      name: 'Keys with locks and limits',
      text: 'Models, providers and regions; requests and tokens a minute; requests at once.',
    },
    record: {
      name: 'Every attempt on record',
      text: 'Who was asked, how long it took, what it counted and what it cost, one row a request.',
    },
    privacy: {
      name: 'Contents stay out',
      text: 'Neither the database nor the log holds what was asked and answered.',
    },
  },
  run: 'Running your own',
  signIn: 'Sign in',
  signInHow: (command: Child): Child => [
    'Starting the server prints a link in its terminal, and ',
    command,
    ' makes another. Open it in this browser and press the button: it signs in once, within an hour.',
  ],
  send: 'Send a request',
  sendHow: (variable: Child): Child => [
    'Put an API token into the variable ',
    variable,
    '. The first start prints a token, and a line that asks a model.',
  ],
  baseUrl: (address: Child): Child => ['OpenAI clients work as they are, with the base URL ', address],
};

export type LandingWords = typeof en;
