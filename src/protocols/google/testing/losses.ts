/** What generateContent cannot hold. */
import type { DeclaredLosses } from '../../turn/testing/losses.ts';

export const googleLosses: DeclaredLosses = {
  vendor: 'google',
  request: [
    { what: 'a choice of one allowed tool', how: 'changed', why: 'it is the choice of that tool' },
    {
      what: 'a conversation without messages',
      how: 'changed',
      why: 'something must be said; the instructions become it',
    },
    {
      what: 'arguments that are no JSON object',
      how: 'changed',
      why: 'the arguments of a call are an object',
    },
    { what: 'cache marks', how: 'dropped', why: 'the upstream caches by itself' },
    { what: 'image detail', how: 'dropped', why: 'one resolution holds for the whole request' },
    { what: 'context of documents', how: 'changed', why: 'it is told in words in front' },
    { what: 'documents as text', how: 'changed', why: 'the text goes into a frame of words' },
    {
      what: 'fields of one vendor',
      how: 'dropped',
      why: 'the upstream refuses fields that it does not know',
    },
    { what: 'files of other vendors', how: 'refused', why: 'an id means something only where the file lies' },
    { what: 'free-text tools', how: 'changed', why: 'a tool takes an object, so the text is put into one' },
    { what: 'instructions in the middle', how: 'changed', why: 'there is one place for them, at the head' },
    { what: 'logprobs', how: 'dropped', why: 'models since 2.5 refuse to tell them' },
    {
      what: 'media in tool results',
      how: 'changed',
      why: 'only newer models take them there, and only as bytes; the rest goes behind',
    },
    { what: 'name and strictness of a schema', how: 'changed', why: 'a schema has no name and always holds' },
    { what: 'neighbouring texts', how: 'changed', why: 'clients give back the pieces of a stream' },
    { what: 'one tool at a time', how: 'dropped', why: 'not of the protocol' },
    { what: 'penalties', how: 'dropped', why: 'models since 2.5 refuse them' },
    { what: 'pieces of tool results', how: 'changed', why: 'the result is one text' },
    { what: 'reasoning in other words', how: 'changed', why: 'level or budget, whichever the model knows' },
    { what: 'refusals', how: 'changed', why: 'a refusal is text' },
    { what: 'signatures of other vendors', how: 'dropped', why: 'the upstream refuses them' },
    { what: 'strictness of tools', how: 'changed', why: 'it holds for all tools or for none' },
    { what: 'the wish to stream', how: 'dropped', why: 'it stands in the URL' },
    { what: 'thinking in pieces', how: 'changed', why: 'clients give back the pieces of a stream' },
    { what: 'titles of documents', how: 'changed', why: 'they are told in words in front' },
    { what: 'tool choice without tools', how: 'dropped', why: 'there is nothing to choose from' },
    { what: 'user ids', how: 'dropped', why: 'not of the protocol' },
    { what: 'vendor tools', how: 'refused', why: 'the upstream has only those of its own' },
  ],
  answer: [
    {
      what: 'a stop for tools without any',
      how: 'changed',
      why: 'an end in calls is told by the calls alone',
    },
    {
      what: 'arguments that are no JSON object',
      how: 'changed',
      why: 'the arguments of a call are an object',
    },
    { what: 'bytes of logprobs', how: 'dropped', why: 'not of the protocol' },
    { what: 'cache writes', how: 'changed', why: 'they are input like any other' },
    { what: 'free-text tools', how: 'changed', why: 'a tool takes an object, so the text is put into one' },
    { what: 'neighbouring texts', how: 'changed', why: 'a stream does not say where one ends' },
    { what: 'refusals', how: 'changed', why: 'a refusal is text, with the reason for the end beside it' },
    { what: 'stop reasons apart', how: 'changed', why: 'there are fewer of them' },
    { what: 'stop sequence that was met', how: 'dropped', why: 'not of the protocol' },
    { what: 'unsigned thinking in pieces', how: 'changed', why: 'a stream does not say where one ends' },
  ],
  unread: {
    request: [
      { what: 'audio that the model made', how: 'dropped', why: 'the form has it in what users say only' },
      { what: 'images that the model made', how: 'dropped', why: 'the form has them in answers only' },
      { what: 'traces of vendor tools', how: 'dropped', why: 'nobody else can make use of them' },
    ],
    answer: [
      { what: 'audio that the model made', how: 'dropped', why: 'the form has it in what users say only' },
      { what: 'traces of vendor tools', how: 'dropped', why: 'nobody else can make use of them' },
    ],
  },
};
