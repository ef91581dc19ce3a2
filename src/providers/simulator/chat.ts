/** Chat completions made up on the spot: whole or streamed, with tool calls when asked and counts that add up. */
import { systemClock } from '../../base/clock.ts';
import { isJsonObject } from '../../protocols/json/fields.ts';
import { sampleOf } from './json-schema-sample.ts';

interface Reply {
  readonly message: Record<string, unknown>;
  /** The pieces that the message is streamed in. */
  readonly deltas: readonly Record<string, unknown>[];
  readonly finishReason: 'stop' | 'length' | 'tool_calls';
  readonly completionTokens: number;
}

type JsonObject = Record<string, unknown>;

/** @param request a checked chat completion request. */
export function simulateChat(request: JsonObject, signal: AbortSignal): Response {
  const reply = composeReply(request);
  const choices = countChoices(request);
  const completionTokens = reply.completionTokens * choices;
  const promptTokens = countTokens(JSON.stringify(request['messages'] ?? []));
  const frame = {
    id: `chatcmpl-sim-${Bun.hash(JSON.stringify(request)).toString(36)}`,
    created: Math.floor(systemClock.nowMs() / 1000),
    model: String(request['model']),
  };
  const usage = {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
  if (request['stream'] !== true) {
    const choice = { message: reply.message, logprobs: null, finish_reason: reply.finishReason };
    const all = Array.from({ length: choices }, (_, index) => ({ index, ...choice }));
    return Response.json({ ...frame, object: 'chat.completion', choices: all, usage });
  }
  return new Response(streamReply({ frame, reply, choices, usage, signal }), {
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
  });
}

function streamReply(options: {
  frame: JsonObject;
  reply: Reply;
  choices: number;
  usage: JsonObject;
  signal: AbortSignal;
}): ReadableStream<Uint8Array> {
  const { frame, reply, choices, usage, signal } = options;
  const encoder = new TextEncoder();
  const write = (choices: readonly JsonObject[], extra: JsonObject = {}) =>
    encoder.encode(
      `data: ${JSON.stringify({ ...frame, object: 'chat.completion.chunk', choices, ...extra })}\n\n`,
    );
  /** Of one choice after the other, as they come from hosts that make them side by side. */
  function* writeDeltas(delta: JsonObject, finishReason: string | null = null) {
    for (let index = 0; index < choices; index += 1) {
      yield write([{ index, delta, finish_reason: finishReason }], { usage: null });
    }
  }
  const frames = (function* () {
    yield* writeDeltas({ role: 'assistant', content: '' });
    for (const delta of reply.deltas) yield* writeDeltas(delta);
    yield* writeDeltas({}, reply.finishReason);
    yield write([], { usage });
    yield encoder.encode('data: [DONE]\n\n');
  })();
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const next = frames.next();
        if (next.done || signal.aborted) controller.close();
        else controller.enqueue(next.value);
      },
    },
    { highWaterMark: 0 },
  );
}

/** What the protocol lets callers ask for. */
const mostChoices = 128;

function countChoices({ n }: JsonObject): number {
  return typeof n === 'number' && Number.isInteger(n) ? Math.min(mostChoices, Math.max(1, n)) : 1;
}

function composeReply(request: JsonObject): Reply {
  const tool = chooseTool(request);
  if (tool !== null) return composeToolCall(tool);
  const text = composeText(request);
  const words = text.match(/\s*\S+/g) ?? [];
  const limit = readLimit(request);
  const kept = words.slice(0, limit);
  return {
    message: { role: 'assistant', content: kept.join(''), refusal: null },
    deltas: kept.map((word) => ({ content: word })),
    finishReason: kept.length < words.length ? 'length' : 'stop',
    completionTokens: kept.length,
  };
}

function composeText(request: JsonObject): string {
  const format = request['response_format'];
  if (isJsonObject(format) && format['type'] === 'json_schema' && isJsonObject(format['json_schema'])) {
    return JSON.stringify(sampleOf(format['json_schema']['schema']));
  }
  if (isJsonObject(format) && format['type'] === 'json_object') {
    return JSON.stringify({ simulation: true });
  }
  const asked = lastUserText(request).slice(0, 400);
  return `This is a simulation: no model was asked. You said: ${asked === '' ? '(nothing)' : asked}`;
}

/** A tool call is made when the request forces one, or when tools are there and no result has come back yet. */
function chooseTool(request: JsonObject): JsonObject | null {
  const tools = Array.isArray(request['tools']) ? request['tools'].filter(isJsonObject) : [];
  const functions = tools.map((tool) => tool['function']).filter(isJsonObject);
  const [first] = functions;
  const choice = request['tool_choice'];
  if (first === undefined || choice === 'none') return null;
  if (isJsonObject(choice) && isJsonObject(choice['function'])) {
    const { name } = choice['function'];
    return functions.find((candidate) => candidate['name'] === name) ?? first;
  }
  return choice === 'required' || !hasToolResult(request) ? first : null;
}

function composeToolCall(tool: JsonObject): Reply {
  const call = {
    id: `call_sim_${Bun.hash(JSON.stringify(tool)).toString(36)}`,
    type: 'function',
    function: { name: String(tool['name']), arguments: JSON.stringify(sampleOf(tool['parameters'])) },
  };
  const opening = {
    index: 0,
    id: call.id,
    type: call.type,
    function: { name: call.function.name, arguments: '' },
  };
  return {
    message: { role: 'assistant', content: null, tool_calls: [call] },
    deltas: [
      { tool_calls: [opening] },
      { tool_calls: [{ index: 0, function: { arguments: call.function.arguments } }] },
    ],
    finishReason: 'tool_calls',
    completionTokens: countTokens(call.function.arguments) + 1,
  };
}

function hasToolResult(request: JsonObject): boolean {
  return messagesOf(request).some((message) => message['role'] === 'tool');
}

function lastUserText(request: JsonObject): string {
  const message = messagesOf(request).findLast((candidate) => candidate['role'] === 'user');
  const content = message?.['content'];
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .filter(isJsonObject)
    .map((part) => (typeof part['text'] === 'string' ? part['text'] : ''))
    .join(' ');
}

const messagesOf = (request: JsonObject): JsonObject[] =>
  Array.isArray(request['messages']) ? request['messages'].filter(isJsonObject) : [];

function readLimit(request: JsonObject): number {
  const limit = request['max_completion_tokens'] ?? request['max_tokens'];
  return typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY;
}

/** The simulation's own measure: a token is four characters, rounded up. */
const countTokens = (text: string): number => Math.ceil(text.length / 4);
