/** What a model says that is asked for the rest of an answer, as the upstream double makes it up. */
import type { Answer, Shape } from './upstream/answer.ts';
import type { ReceivedRequest } from './upstream/exchange.ts';
import { isObject, readText } from './upstream/json.ts';

interface Said {
  readonly role: string;
  readonly text: string;
}

export interface GoingOnTerms {
  /** What it says where it is not asked to go on; the same words when left out. */
  readonly otherwise?: string;
  readonly shape?: Shape;
  /** Does not repeat what it is told to repeat. */
  readonly isDeaf?: boolean;
}

/** Goes on with its words from wherever they are broken off: from a prefill at once, else as it is told. */
export function goingOn(words: string, { otherwise = words, shape, isDeaf = false }: GoingOnTerms = {}) {
  return (request: ReceivedRequest): Answer => {
    const text = restOf(words, conversationIn(request.body), isDeaf) ?? otherwise;
    return { generate: { text }, ...(shape === undefined ? {} : { shape }) };
  };
}

function restOf(words: string, said: readonly Said[], isDeaf: boolean): string | undefined {
  const last = said.findLastIndex(({ role }) => role === 'assistant' || role === 'model');
  const begun = said[last]?.text;
  if (begun === undefined || !words.startsWith(begun)) return undefined;
  const rest = words.slice(begun.length);
  const told = said.slice(last + 1).find(({ role }) => role === 'user');
  if (told === undefined) return rest;
  const repeated = /^-----\n([\s\S]*)\n-----$/m.exec(told.text)?.[1];
  return repeated === undefined || isDeaf ? rest.trimStart() : repeated + rest;
}

/** By the words of any protocol. */
export function conversationIn(body: unknown): readonly Said[] {
  if (!isObject(body)) return [];
  const list = body['messages'] ?? body['input'] ?? body['contents'];
  if (!Array.isArray(list)) return [];
  return list.map((one) => ({ role: readText(one, 'role') ?? '', text: textIn(one) }));
}

function textIn(message: unknown): string {
  if (!isObject(message)) return '';
  const content = message['content'] ?? message['parts'];
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part) => readText(part, 'text') ?? '').join('') : '';
}
