/** The guide of the dashboard. */
import type { Child } from 'hono/jsx';

export const en = {
  title: 'Guide',
  contents: 'Contents',
  noModel: 'No chat model is offered to you yet: put its name in place of MODEL.',
  noKey: 'You have no key that works now.',
  makeKey: 'Create one',
  ownKey: (name: Child): Child => [
    'This is your key ',
    name,
    '. Its whole token was shown once, when it was created.',
  ],
  sections: {
    key: {
      title: 'Your key',
      text: 'Every request carries a token. Keep it in a variable of the environment and out of code that is shared.',
    },
    first: {
      title: 'First request',
      text: 'Any client of OpenAI’s works when it is given this base URL and your token.',
    },
    protocols: {
      title: 'Protocols',
      text: 'The same models answer in four protocols. Requests are converted where a model’s provider speaks another one.',
    },
    streaming: {
      title: 'Streaming',
      text: 'With stream, the answer comes as server-sent events. The last ones carry the usage; an answer that breaks off ends with an error and never looks whole.',
    },
    tools: {
      title: 'Tools',
      text: 'Describe functions, run what the model calls, and send the result back as a message of the role tool.',
    },
    errors: {
      title: 'Errors and retries',
      text: 'x-should-retry says whether another try helps, and retry-after when. A failing provider is replaced by the next one before you see an error. An Idempotency-Key makes a retry safe: it is charged once.',
    },
    limits: {
      title: 'Limits',
      text: 'A key and its owner can have limits on requests a minute, tokens a minute and requests at once. Answers say in x-ratelimit headers what is left, and this address tells all of it, with budget and balance.',
    },
    sessions: {
      title: 'Sessions and labels',
      text: 'A session keeps a conversation with the same provider, which makes use of its cache. Tags and end users are found again in the usage.',
    },
    budgets: {
      title: 'Budgets',
      text: 'Keys, people and organisations can have budgets by day, week, month or in all. What a request can cost at most is set aside first; where too little is left it gets status 402 with the tokens that could be paid for.',
    },
    clients: {
      title: 'SDKs and agents',
      text: 'Settings for the clients that people use most.',
    },
    production: { title: 'Before production', text: 'What is worth a look before others depend on it.' },
  },
  statuses: {
    400: 'The request is not valid: the message says which part.',
    401: 'The token is missing, mistyped, disabled or expired.',
    402: 'The balance or a budget is used up. Do not try again before money is added.',
    403: 'A lock of the key forbids it: the sentence says which.',
    404: 'There is no such model, or not for you.',
    429: 'A limit is reached. Wait as retry-after says.',
    '502, 503, 504': 'Every provider that could serve it was tried and failed. Try again after a pause.',
  },
  checklist: [
    'A key for each service, locked to the models that it needs, with a budget and an end date.',
    'Timeouts of your client longer than the longest answer: stream what takes long.',
    'Retries with a pause for 429 and 5xx, none for 400, 401, 402 and 403.',
    'The x-request-id of failures in your log: the request is found here by it.',
    'A balance that lasts, and somebody who reads the mails about it.',
  ],
};

export type GuideWords = typeof en;
