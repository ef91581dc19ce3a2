/** The request for the rest of a broken answer, in the words of the protocol that its client speaks. */
import { asObjects, type JsonObject } from '../../json/fields.ts';
import { editMembers, type MemberEdit } from '../../json/text.ts';
import type { ClientProtocol } from '../../protocol.ts';
import type { InferenceRequest } from '../../translator.ts';
import type { TurnRequest } from '../../turn/request.ts';
import { type ContinuedBy, lastWords } from './seam.ts';

/** Whether what is asked for can be answered in two pieces, by two providers. */
export function canBeContinued(client: ClientProtocol, request: InferenceRequest): boolean {
  if (wordsOf[client.name] === undefined || heldElsewhere.some((member) => request.json[member] != null))
    return false;
  const turn = readTurn(client, request);
  return turn !== null && isPlain(turn);
}

/** What one provider alone knows, or answers in another way than a stream of text. */
const heldElsewhere = ['previous_response_id', 'conversation', 'background', 'modalities', 'audio'];

function readTurn(client: ClientProtocol, { json, text }: InferenceRequest): TurnRequest | null {
  try {
    return client.readRequest(json, text);
  } catch {
    // What the form has no place for could not be gone on with elsewhere.
    return null;
  }
}

/** One answer in free text, perhaps with calls behind it, to a conversation that the client ended. */
function isPlain({ tools, toolChoice, choices, logprobs, responseFormat, messages }: TurnRequest): boolean {
  const isForced =
    toolChoice?.type === 'tool' ||
    toolChoice?.type === 'required' ||
    (toolChoice?.type === 'allowed' && toolChoice.required);
  return (
    choices === undefined &&
    logprobs === undefined &&
    responseFormat === undefined &&
    !isForced &&
    messages.at(-1)?.role !== 'assistant' &&
    tools.every(({ kind }) => kind !== 'vendor')
  );
}

interface Words {
  /** Where the conversation stands. */
  readonly member: string;
  said(json: JsonObject): readonly unknown[];
  assistant(text: string): JsonObject;
  user(text: string): JsonObject;
}

const chatWords: Words = {
  member: 'messages',
  said: (json) => asObjects(json['messages']),
  assistant: (content) => ({ role: 'assistant', content }),
  user: (content) => ({ role: 'user', content }),
};

const wordsOf: Readonly<Record<string, Words>> = {
  'chat-completions': chatWords,
  messages: {
    ...chatWords,
    assistant: (text) => ({ role: 'assistant', content: [{ type: 'text', text }] }),
    user: (text) => ({ role: 'user', content: [{ type: 'text', text }] }),
  },
  responses: {
    member: 'input',
    said: ({ input }) => (typeof input === 'string' ? [{ role: 'user', content: input }] : asObjects(input)),
    assistant: (text) => ({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text, annotations: [] }],
    }),
    user: (text) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }),
  },
};

/** How much to think: what goes on from a prefill has thought. */
const reasoningMembers = ['thinking', 'reasoning', 'reasoning_effort', 'enable_thinking', 'thinking_budget'];

/** @param client the name of the protocol that the request is written in. */
export function continuedRequest(
  client: string,
  request: InferenceRequest,
  { shown, by }: { readonly shown: string; readonly by: ContinuedBy },
): InferenceRequest {
  const words = wordsOf[client];
  if (words === undefined || by === 'beginning') return request;
  const { json, text } = request;
  const said = [
    ...words.said(json),
    // A prefill that ends in a space is refused.
    words.assistant(shown.trimEnd()),
    ...(by === 'repetition' ? [words.user(askToGoOn(lastWords(shown)))] : []),
  ];
  const edits = new Map<string, MemberEdit>([[words.member, JSON.stringify(said)]]);
  const changed: Record<string, unknown> = { ...json, [words.member]: said };
  if (by === 'prefill') {
    for (const member of reasoningMembers) {
      if (json[member] === undefined) continue;
      edits.set(member, null);
      delete changed[member];
    }
  }
  return { ...request, text: editMembers(text, edits, json), json: changed };
}

const askToGoOn = (words: string): string =>
  [
    'Your answer was cut off by a technical fault. Write the rest of it.',
    'Begin by repeating its last words exactly as they stand between the two lines below, without the lines, and go on from there without a break. Do not begin anew, and do not mention this message or the fault.',
    '-----',
    words,
    '-----',
  ].join('\n');
