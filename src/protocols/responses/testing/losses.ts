/** What the Responses protocol cannot hold. */
import type { DeclaredLosses } from '../../turn/testing/losses.ts';

export const responsesLosses: DeclaredLosses = {
  vendor: 'openai',
  request: [
    { what: 'a conversation without messages', how: 'refused', why: 'there is nothing to answer' },
    { what: 'audio', how: 'refused', why: 'not of the protocol' },
    { what: 'cache marks', how: 'dropped', why: 'most models refuse them' },
    { what: 'context of documents', how: 'changed', why: 'it is told in words in front' },
    {
      what: 'documents as text',
      how: 'changed',
      why: 'files are bytes; the text goes into a frame of words',
    },
    { what: 'titles of documents by URL or id', how: 'changed', why: 'they are told in words in front' },
    { what: 'documents without a title', how: 'changed', why: 'bytes must have a name' },
    { what: 'error marks of tool results', how: 'changed', why: 'the text begins with "Error:" instead' },
    { what: 'files of other vendors', how: 'refused', why: 'an id means something only where the file lies' },
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
    { what: 'seed and penalties', how: 'dropped', why: 'not of the protocol' },
    { what: 'several choices', how: 'refused', why: 'there is one answer' },
    { what: 'signatures of other vendors', how: 'dropped', why: 'the upstream refuses them' },
    { what: 'small output bounds', how: 'changed', why: 'the upstream refuses them' },
    { what: 'stop sequences', how: 'refused', why: 'without them more would be said than was asked for' },
    { what: 'storing that nobody spoke of', how: 'changed', why: 'the upstream would store by itself' },
    {
      what: 'strictness of tools that nobody set',
      how: 'changed',
      why: 'the upstream would be strict by itself',
    },
    { what: 'tool choice without tools', how: 'dropped', why: 'the upstream refuses one without the other' },
    { what: 'top k', how: 'dropped', why: 'not of the protocol' },
    { what: 'unsigned thinking', how: 'dropped', why: 'the upstream refuses it' },
    { what: 'vendor tools', how: 'refused', why: 'the upstream has no such tool' },
  ],
  answer: [
    { what: 'a stop for tools without any', how: 'changed', why: 'the calls alone say it' },
    { what: 'lifetimes of cache writes', how: 'changed', why: 'there is one count of them' },
    { what: 'several choices', how: 'dropped', why: 'there is one answer' },
    { what: 'stop reasons apart', how: 'changed', why: 'an answer is whole or has one of two faults' },
    { what: 'stop sequence that was met', how: 'dropped', why: 'not of the protocol' },
  ],
  unread: {
    request: [
      { what: 'images that the model made', how: 'dropped', why: 'the form has them in answers only' },
      { what: 'citations', how: 'dropped', why: 'the form has them in answers only' },
      { what: 'traces of vendor tools', how: 'dropped', why: 'nobody else can make use of them' },
    ],
    answer: [{ what: 'traces of vendor tools', how: 'dropped', why: 'nobody else can make use of them' }],
  },
};
