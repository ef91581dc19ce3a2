/** What the messages protocol cannot hold. */
import type { DeclaredLosses } from '../../turn/testing/losses.ts';

export const messagesLosses: DeclaredLosses = {
  vendor: 'anthropic',
  request: [
    {
      what: 'a conversation that the assistant begins',
      how: 'changed',
      why: 'the user must begin; a short message of the user is put in front',
    },
    {
      what: 'a conversation that the assistant ends',
      how: 'changed',
      why: 'models since 4.6 refuse a prefill; a short message of the user asks them to go on',
    },
    {
      what: 'a conversation without messages',
      how: 'changed',
      why: 'one must be there; the instructions become it',
    },
    { what: 'an output bound that nobody set', how: 'changed', why: 'max_tokens must be there' },
    { what: 'arguments that are no JSON object', how: 'changed', why: 'the input of a tool is an object' },
    { what: 'audio', how: 'refused', why: 'not of the protocol' },
    { what: 'blank stop sequences', how: 'dropped', why: 'the upstream refuses them' },
    { what: 'blank text', how: 'changed', why: 'it is left out, since the upstream refuses it' },
    { what: 'image detail', how: 'dropped', why: 'not of the protocol' },
    { what: 'documents other than PDF', how: 'refused', why: 'bytes are taken as PDF or as text' },
    {
      what: 'fields of one vendor',
      how: 'dropped',
      why: 'the upstream refuses fields that it does not know',
    },
    { what: 'files of other vendors', how: 'refused', why: 'an id means something only where the file lies' },
    { what: 'free-text tools', how: 'changed', why: 'a tool takes an object, so the text is put into one' },
    { what: 'instructions in the middle', how: 'changed', why: 'few models take them in their place' },
    { what: 'JSON without a schema', how: 'dropped', why: 'callers must ask for JSON in words as well' },
    { what: 'logprobs', how: 'dropped', why: 'not of the protocol' },
    { what: 'name and strictness of a schema', how: 'changed', why: 'a schema has no name and always holds' },
    { what: 'open schemas', how: 'changed', why: 'a schema that must hold is closed and without bounds' },
    { what: 'parallel use without a choice', how: 'dropped', why: 'it is part of a choice that is not none' },
    { what: 'reasoning in other words', how: 'changed', why: 'effort or budget, whichever the model knows' },
    { what: 'refusals', how: 'changed', why: 'a refusal is text' },
    { what: 'sampling while thinking', how: 'dropped', why: 'the upstream refuses it' },
    { what: 'seed and penalties', how: 'dropped', why: 'not of the protocol' },
    { what: 'several choices', how: 'refused', why: 'there is one answer' },
    { what: 'signatures of other vendors', how: 'dropped', why: 'the upstream refuses them' },
    { what: 'some of the tools', how: 'changed', why: 'the others are left out' },
    { what: 'temperature above one', how: 'changed', why: 'one is the most' },
    { what: 'temperature together with top p', how: 'dropped', why: 'models refuse the two at once' },
    { what: 'tool choice without tools', how: 'dropped', why: 'the upstream refuses one without the other' },
    { what: 'unsigned thinking', how: 'dropped', why: 'the upstream refuses it' },
    {
      what: 'vendor tools',
      how: 'refused',
      why: 'only the same protocol has them, and its bytes pass through',
    },
  ],
  answer: [
    { what: 'arguments that are no JSON object', how: 'changed', why: 'the input of a tool is an object' },
    { what: 'free-text tools', how: 'changed', why: 'a tool takes an object, so the text is put into one' },
    { what: 'logprobs', how: 'dropped', why: 'not of the protocol' },
    { what: 'counts of nothing', how: 'dropped', why: 'hosts that have not counted say zero' },
    { what: 'refusals', how: 'changed', why: 'a refusal is text, with the stop reason beside it' },
    { what: 'several choices', how: 'dropped', why: 'there is one answer' },
    { what: 'time of creation', how: 'dropped', why: 'not of the protocol' },
  ],
  unread: {
    request: [
      {
        what: 'files for vendor tools',
        how: 'dropped',
        why: 'they lie in a place that only the vendor’s tools see',
      },
      { what: 'citations', how: 'dropped', why: 'the form has them in answers only' },
      { what: 'traces of vendor tools', how: 'dropped', why: 'nobody else can make use of them' },
    ],
    answer: [
      {
        what: 'files for vendor tools',
        how: 'dropped',
        why: 'they lie in a place that only the vendor’s tools see',
      },
      { what: 'traces of vendor tools', how: 'dropped', why: 'nobody else can make use of them' },
    ],
  },
};
