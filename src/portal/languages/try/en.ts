/** Trying a model from its page. */

export const en = {
  title: 'Try it',
  charged: 'Charged and logged like any request.',
  free: 'Counted and logged like any request, and charged to nobody.',
  prompt: 'Prompt',
  answerLimit: 'Answer at most',
  tokens: (number: string) => `${number} tokens`,
  send: 'Send',
  stop: 'Stop',
  answer: 'Answer',
  atMost: (cost: string) => `Costs ${cost} at most`,
  waiting: 'Waiting for the answer',
  stopped: 'Stopped. What came until then is charged.',
  failed: 'It could not be sent. Try again.',
  facts: {
    input: 'Input tokens',
    output: 'Output tokens',
    cost: 'Cost',
    first: 'First token',
    duration: 'Duration',
    id: 'Request',
  },
};

export type TryWords = typeof en;
