/** One sound stream for each upstream protocol: thinking with a signature, text of many scripts, a tool call, counts. */
import { chatUpstream } from '../chat-completions/protocol.ts';
import { converseUpstream } from '../converse/protocol.ts';
import { googleUpstream } from '../google/protocol.ts';
import { messagesUpstream } from '../messages/protocol.ts';
import { nativeUpstream } from '../native/protocol.ts';
import type { UpstreamProtocol } from '../protocol.ts';
import { responsesUpstream } from '../responses/protocol.ts';
import { blockDelta, blockStart, blockStop, delta, messageDelta, messageStart } from './frames.ts';

export interface SoundStream {
  readonly upstream: UpstreamProtocol;
  /** The data of its frames, in order: JSON, but for the last word of chat completions. */
  readonly frames: readonly string[];
  /** Whether frames have an `event:` line with their type. */
  readonly namesEvents: boolean;
  /** The frame with which the answer is whole, so that a connection that ends behind it has not cut it. */
  readonly wholeAt: number;
  /** The frame behind which nothing is read any more; none in protocols whose stream ends with its connection. */
  readonly endsAt: number;
  /** The protocol's ways to tell an error inside a stream; each says `wordsOfErrors`. */
  readonly errors: readonly string[];
}

export const wordsOfErrors = 'The boiler is cold';

const thought = ['Erst ', 'die Ebbe 潮, dann "los".'] as const;
const words = ['Moin 🌊', ' — 満潮は九時。\n', 'Grüße 👩‍🚀'] as const;
const input = ['{"harbour":"Emden \\"Süd\\" ', '\\\\ 港","at":[9,', '10.5]}'] as const;
const signature = 'EqQBCkYIBRgCKkA';

const chat = (fields: object): object => ({
  id: 'chatcmpl-1a',
  object: 'chat.completion.chunk',
  created: 5,
  model: 'gpt-x',
  ...fields,
});

const toolCall = (call: object): object => chat(delta({ tool_calls: [{ index: 0, ...call }] }));

const detail = { type: 'reasoning.text', index: 0, text: thought.join(''), signature };

const chatFrames: readonly object[] = [
  chat(delta({ role: 'assistant', content: '' })),
  ...thought.map((reasoning_content) => chat(delta({ reasoning_content }))),
  chat(delta({ reasoning_details: [detail] })),
  ...words.map((content) => chat(delta({ content }))),
  toolCall({ id: 'call_1', type: 'function', function: { name: 'tide', arguments: '' } }),
  ...input.map((text) => toolCall({ function: { arguments: text } })),
  chat(delta({}, 'tool_calls')),
  chat({ choices: [], usage: { prompt_tokens: 14, completion_tokens: 26, total_tokens: 40 } }),
];

const messagesFrames: readonly object[] = [
  messageStart(),
  blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
  ...thought.map((thinking) => blockDelta(0, { type: 'thinking_delta', thinking })),
  blockDelta(0, { type: 'signature_delta', signature }),
  blockStop(0),
  { type: 'ping' },
  blockStart(1, { type: 'text', text: '' }),
  ...words.map((text) => blockDelta(1, { type: 'text_delta', text })),
  blockStop(1),
  blockStart(2, { type: 'tool_use', id: 'toolu_1', name: 'tide', input: {} }),
  ...input.map((partial_json) => blockDelta(2, { type: 'input_json_delta', partial_json })),
  blockStop(2),
  messageDelta('tool_use', { output_tokens: 26 }),
  { type: 'message_stop' },
];

const response = (fields: object): object => ({
  response: { id: 'resp_1', object: 'response', created_at: 5, model: 'gpt-x', error: null, ...fields },
});

const reasoningItem = { type: 'reasoning', id: 'rs_1' };
const messageItem = { type: 'message', id: 'msg_1', role: 'assistant' };
const callItem = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'tide' };
const summaryPart = { type: 'summary_text', text: thought.join('') };
const textPart = { type: 'output_text', text: words.join(''), annotations: [] };
const inSummary = { item_id: 'rs_1', output_index: 0, summary_index: 0 };
const inMessage = { item_id: 'msg_1', output_index: 1, content_index: 0 };
const inCall = { item_id: 'fc_1', output_index: 2 };
const items: readonly object[] = [
  { ...reasoningItem, summary: [summaryPart], encrypted_content: signature },
  { ...messageItem, status: 'completed', content: [textPart] },
  { ...callItem, status: 'completed', arguments: input.join('') },
];
const item = (event: 'added' | 'done', output_index: number, fields: unknown): object => ({
  type: `response.output_item.${event}`,
  output_index,
  item: fields,
});
const usage = { input_tokens: 14, output_tokens: 26, total_tokens: 40 };

const responsesFrames: readonly object[] = [
  { type: 'response.created', ...response({ status: 'in_progress', output: [], usage: null }) },
  { type: 'response.in_progress', ...response({ status: 'in_progress', output: [], usage: null }) },
  item('added', 0, { ...reasoningItem, summary: [] }),
  { type: 'response.reasoning_summary_part.added', ...inSummary, part: { type: 'summary_text', text: '' } },
  ...thought.map((piece) => ({
    type: 'response.reasoning_summary_text.delta',
    ...inSummary,
    delta: piece,
  })),
  { type: 'response.reasoning_summary_text.done', ...inSummary, text: thought.join('') },
  { type: 'response.reasoning_summary_part.done', ...inSummary, part: summaryPart },
  item('done', 0, items[0]),
  item('added', 1, { ...messageItem, status: 'in_progress', content: [] }),
  { type: 'response.content_part.added', ...inMessage, part: { ...textPart, text: '' } },
  ...words.map((piece) => ({ type: 'response.output_text.delta', ...inMessage, delta: piece, logprobs: [] })),
  { type: 'response.output_text.done', ...inMessage, text: words.join(''), logprobs: [] },
  { type: 'response.content_part.done', ...inMessage, part: textPart },
  item('done', 1, items[1]),
  item('added', 2, { ...callItem, status: 'in_progress', arguments: '' }),
  ...input.map((piece) => ({ type: 'response.function_call_arguments.delta', ...inCall, delta: piece })),
  { type: 'response.function_call_arguments.done', ...inCall, arguments: input.join('') },
  item('done', 2, items[2]),
  { type: 'response.completed', ...response({ status: 'completed', output: items, usage }) },
].map((event, sequence_number) => ({ ...event, sequence_number }));

const piece = (parts: readonly object[], fields: object = {}): object => ({
  candidates: [{ content: { parts, role: 'model' }, index: 0, ...fields }],
  modelVersion: 'gemini-x',
  responseId: 'resp-1',
});

const googleFrames: readonly object[] = [
  ...thought.map((text) => piece([{ text, thought: true }])),
  ...words.map((text) => piece([{ text }])),
  piece([
    {
      functionCall: { name: 'tide', args: JSON.parse(input.join('')) },
      thoughtSignature: 'Q2kwdGlkZQ==',
    },
  ]),
  {
    ...piece([{ text: '' }], { finishReason: 'STOP' }),
    usageMetadata: { promptTokenCount: 14, candidatesTokenCount: 20, thoughtsTokenCount: 6 },
  },
];

const converseFrames: readonly object[] = [
  { answerStart: { id: 'request-1', model: 'nova' } },
  { messageStart: { role: 'assistant' } },
  ...thought.map((text) => converseDelta(0, { reasoningContent: { text } })),
  converseDelta(0, { reasoningContent: { signature } }),
  { contentBlockStop: { contentBlockIndex: 0 } },
  ...words.map((text) => converseDelta(1, { text })),
  { contentBlockStop: { contentBlockIndex: 1 } },
  { contentBlockStart: { contentBlockIndex: 2, start: { toolUse: { toolUseId: 't_1', name: 'tide' } } } },
  ...input.map((text) => converseDelta(2, { toolUse: { input: text } })),
  { contentBlockStop: { contentBlockIndex: 2 } },
  { messageStop: { stopReason: 'tool_use' } },
  { metadata: { usage: { inputTokens: 14, outputTokens: 26, totalTokens: 40 } } },
];

function converseDelta(contentBlockIndex: number, change: object): object {
  return { contentBlockDelta: { contentBlockIndex, delta: change } };
}

const message = wordsOfErrors;
const chatError = { message, type: 'server_error', param: null, code: null };
const failed = { status: 'failed', error: { code: 'server_error', message } };
const googleError = { code: 503, message, status: 'UNAVAILABLE' };

const responses = {
  frames: json(responsesFrames),
  namesEvents: true,
  wholeAt: responsesFrames.length - 1,
  endsAt: responsesFrames.length - 1,
  errors: json([
    { type: 'error', sequence_number: 3, code: 'server_error', message, param: null },
    { type: 'error', sequence_number: 3, error: chatError },
    { type: 'response.failed', sequence_number: 3, ...response(failed) },
    { error: chatError },
    { detail: message },
  ]),
};

export const soundStreams: readonly SoundStream[] = [
  {
    upstream: chatUpstream(),
    frames: [...json(chatFrames), '[DONE]'],
    namesEvents: false,
    wholeAt: chatFrames.length - 2,
    endsAt: chatFrames.length,
    errors: json([
      { error: chatError },
      { error: message },
      { object: 'error', message, code: 500 },
      { detail: message },
      [{ error: googleError }],
      chat({ ...delta({}), error: chatError }),
    ]),
  },
  {
    upstream: messagesUpstream,
    frames: json(messagesFrames),
    namesEvents: true,
    wholeAt: messagesFrames.length - 2,
    endsAt: messagesFrames.length - 1,
    errors: json([
      { type: 'error', error: { type: 'overloaded_error', message } },
      { type: 'error', error: { type: 'api_error', message }, request_id: 'req_1' },
      { error: { message } },
      { message },
      { detail: message },
    ]),
  },
  { upstream: responsesUpstream, ...responses },
  { upstream: nativeUpstream, ...responses },
  {
    upstream: googleUpstream,
    frames: json(googleFrames),
    namesEvents: false,
    wholeAt: googleFrames.length - 1,
    endsAt: Number.POSITIVE_INFINITY,
    errors: json([{ error: googleError }, [{ error: googleError }]]),
  },
  {
    upstream: converseUpstream(),
    frames: json(converseFrames),
    namesEvents: false,
    wholeAt: converseFrames.length - 2,
    endsAt: converseFrames.length - 1,
    errors: json([
      { exception: { type: 'throttlingException', message } },
      { exception: { message, type: 'modelStreamErrorException', originalStatusCode: 500 } },
    ]),
  },
];

function json(values: readonly object[]): readonly string[] {
  return values.map((value) => JSON.stringify(value));
}
