/** What chat completions cannot hold, as OpenAI speaks them; a host's dialect can hold more, or less. */
import type { DeclaredLosses } from '../../turn/testing/losses.ts';

const order = 'a message has one place each for thinking, text, refusal and tool calls, in this order';

export const chatLosses: DeclaredLosses = {
  vendor: 'openai',
  request: [
    { what: 'a conversation without messages', how: 'refused', why: 'there is nothing to answer' },
    { what: 'blocks in another order', how: 'changed', why: order },
    { what: 'unsigned thinking in pieces', how: 'changed', why: 'reasoning_content is one string' },
    { what: 'cache marks', how: 'dropped', why: 'hosts without them refuse the field' },
    { what: 'context of documents', how: 'changed', why: 'it is told in words in front' },
    {
      what: 'documents as text',
      how: 'changed',
      why: 'files are bytes; the text goes into a frame of words',
    },
    { what: 'documents by URL', how: 'refused', why: 'files come as bytes or ids' },
    { what: 'titles of documents by URL or id', how: 'changed', why: 'they are told in words in front' },
    { what: 'documents without a title', how: 'changed', why: 'a file must have a name' },
    { what: 'error marks of tool results', how: 'changed', why: 'the text begins with "Error:" instead' },
    { what: 'files of other vendors', how: 'refused', why: 'an id means something only where the file lies' },
    { what: 'images by file id', how: 'refused', why: 'images come by URL or as bytes' },
    {
      what: 'media in tool results',
      how: 'changed',
      why: 'tool messages hold text; the rest goes behind them',
    },
    {
      what: 'name and strictness of a schema',
      how: 'changed',
      why: 'a name must be there, and not all can be strict',
    },
    {
      what: 'JSON that nobody speaks of',
      how: 'changed',
      why: 'the upstream wants the word; a sentence says it',
    },
    { what: 'reasoning in other words', how: 'changed', why: 'there is only an effort' },
    { what: 'tool choice without tools', how: 'dropped', why: 'the upstream refuses one without the other' },
    { what: 'top k', how: 'dropped', why: 'not of the protocol' },
    { what: 'vendor tools', how: 'refused', why: 'the upstream has no such tool' },
  ],
  answer: [
    { what: 'blocks in another order', how: 'changed', why: order },
    { what: 'unsigned thinking in pieces', how: 'changed', why: 'reasoning_content is one string' },
    { what: 'pieces of text', how: 'changed', why: 'the content of an answer is one string' },
    { what: 'counts of nothing', how: 'dropped', why: 'hosts that have not counted say zero' },
    { what: 'lifetimes of cache writes', how: 'changed', why: 'there is one count of them' },
    { what: 'stop reasons apart', how: 'changed', why: 'there are four of them' },
    { what: 'stop sequence that was met', how: 'dropped', why: 'not of the protocol' },
  ],
  unread: {
    request: [
      { what: 'audio that the model made', how: 'dropped', why: 'the form has it in what users say only' },
      { what: 'images that the model made', how: 'dropped', why: 'the form has them in answers only' },
      { what: 'citations', how: 'dropped', why: 'the form has them in answers only' },
    ],
    answer: [
      { what: 'audio that the model made', how: 'dropped', why: 'the form has it in what users say only' },
    ],
  },
};
