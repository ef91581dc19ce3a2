/** What a client hears of an answer, read as strictly as its protocol is written: words, and how they end. */
import { isObject, parseJson, readList, readObject, readText } from '../support/upstream/json.ts';

export interface Heard {
  readonly words: string;
  readonly end: End;
}

/** `good` as whole answers end, `error` in the client's protocol, `cut` without a word, `odd` in no form of the protocol. */
export type End =
  | { readonly kind: 'good' }
  | { readonly kind: 'error'; readonly code: string }
  | { readonly kind: 'cut' }
  | { readonly kind: 'odd'; readonly why: string };

export interface Answer {
  readonly status: number;
  readonly text: string;
  /** The connection broke before the body had ended. */
  readonly isBroken: boolean;
}

export interface Client {
  readonly name: string;
  readonly path: string;
  body(model: string, isStreamed: boolean): object;
  hear(answer: Answer, isStreamed: boolean): Heard;
}

const messages = [{ role: 'user', content: 'Hello' }];

export const clients: readonly Client[] = [
  {
    name: 'chat completions',
    path: '/v1/chat/completions',
    body: (model, stream) => ({ model, messages, stream }),
    hear: (answer, isStreamed) =>
      answer.status === 200 && isStreamed ? hearChunks(answer) : hearWhole(answer, readCompletion),
  },
  {
    name: 'messages',
    path: '/v1/messages',
    body: (model, stream) => ({ model, messages, max_tokens: 99, stream }),
    hear: (answer, isStreamed) =>
      answer.status === 200 && isStreamed ? hearEvents(answer) : hearWhole(answer, readMessage),
  },
];

type ReadJson = (json: unknown) => Heard;

const nothing = (end: End): Heard => ({ words: '', end });
const odd = (words: string, why: string): Heard => ({ words, end: { kind: 'odd', why } });

function hearWhole({ text, isBroken, status }: Answer, read: ReadJson): Heard {
  if (isBroken) return nothing({ kind: 'cut' });
  const json = parseJson(text);
  if (json === undefined) return odd('', 'no JSON');
  const heard = read(json);
  const isRefused = heard.end.kind === 'error';
  return isRefused === status >= 400 ? heard : odd(heard.words, `${heard.end.kind} with status ${status}`);
}

function readCompletion(json: unknown): Heard {
  const code = errorOfChat(json);
  if (code !== undefined) return nothing({ kind: 'error', code });
  const [choice] = readList(json, 'choices');
  const words = readText(readObject(choice, 'message'), 'content');
  if (words === undefined || readText(choice, 'finish_reason') === undefined) return odd('', 'no completion');
  return { words, end: { kind: 'good' } };
}

/** Undefined where it is no error that the protocol's clients understand. */
function errorOfChat(json: unknown): string | undefined {
  const error = readObject(json, 'error');
  if (readText(error, 'message') === undefined || readText(error, 'type') === undefined) return undefined;
  return readText(error, 'code') ?? readText(error, 'type');
}

function readMessage(json: unknown): Heard {
  const code = errorOfMessages(json);
  if (code !== undefined) return nothing({ kind: 'error', code });
  const words = readList(json, 'content').map((block) => readText(block, 'text') ?? '');
  if (readText(json, 'stop_reason') === undefined) return odd('', 'no message');
  return { words: words.join(''), end: { kind: 'good' } };
}

function errorOfMessages(json: unknown): string | undefined {
  const error = readObject(json, 'error');
  if (readText(json, 'type') !== 'error' || readText(error, 'message') === undefined) return undefined;
  return readText(error, 'code') ?? readText(error, 'type');
}

interface Frame {
  readonly event: string | undefined;
  readonly data: string;
}

/** Whole ones alone: what a broken connection leaves of the last is nothing to a client. */
function* framesIn(text: string): Generator<Frame> {
  for (const frame of text.split('\n\n').slice(0, -1)) {
    const lines = frame.split('\n');
    const fieldOf = (name: string) =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    const data = fieldOf('data');
    if (data !== undefined) yield { event: fieldOf('event'), data };
  }
}

function hearChunks({ text }: Answer): Heard {
  let words = '';
  let hasFinished = false;
  for (const { data } of framesIn(text)) {
    if (data === '[DONE]') return hasFinished ? { words, end: { kind: 'good' } } : odd(words, 'no reason');
    const json = parseJson(data);
    if (!isObject(json)) return odd(words, 'a frame that is no JSON');
    const code = errorOfChat(json);
    if (code !== undefined) return { words, end: { kind: 'error', code } };
    const [choice] = readList(json, 'choices');
    words += readText(readObject(choice, 'delta'), 'content') ?? '';
    if (readText(choice, 'finish_reason') !== undefined) hasFinished = true;
  }
  return { words, end: { kind: 'cut' } };
}

function hearEvents({ text }: Answer): Heard {
  let words = '';
  let hasFinished = false;
  for (const { event, data } of framesIn(text)) {
    const json = parseJson(data);
    const type = readText(json, 'type');
    if (type === undefined || type !== event) return odd(words, 'an event without its type');
    if (type === 'error') {
      const code = errorOfMessages(json);
      return code === undefined ? odd(words, 'no error') : { words, end: { kind: 'error', code } };
    }
    if (type === 'content_block_delta') words += readText(readObject(json, 'delta'), 'text') ?? '';
    if (type === 'message_delta')
      hasFinished ||= readText(readObject(json, 'delta'), 'stop_reason') !== undefined;
    if (type === 'message_stop')
      return hasFinished ? { words, end: { kind: 'good' } } : odd(words, 'no reason');
  }
  return { words, end: { kind: 'cut' } };
}
