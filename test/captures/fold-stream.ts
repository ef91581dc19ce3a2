/** A recorded stream as the whole answer it amounts to, folded without any of the code under test. */
import {
  asNumber,
  asObject,
  asObjects,
  asText,
  type JsonObject,
  tryParseJson,
} from '../../src/protocols/json/fields.ts';
import type { RecordedProtocol } from '../../src/protocols/testing/recordings.ts';

export function foldStream(protocol: RecordedProtocol, events: readonly JsonObject[]): JsonObject {
  switch (protocol) {
    case 'anthropic':
      return foldEvents(events);
    case 'chat-completions':
      return foldChunks(events);
    case 'responses':
      return asObject(events.at(-1)?.['response']) ?? {};
    case 'google':
      return foldContents(events);
  }
}

/** As the wire has it: frames of server-sent events. */
export function writeFrames(protocol: RecordedProtocol, events: readonly JsonObject[]): string {
  const isNamed = protocol === 'anthropic' || protocol === 'responses';
  const frames = events.map((event) => {
    const data = `data: ${JSON.stringify(event)}\n\n`;
    return isNamed ? `event: ${asText(event['type']) ?? ''}\n${data}` : data;
  });
  return frames.join('') + (protocol === 'chat-completions' ? 'data: [DONE]\n\n' : '');
}

function foldEvents(events: readonly JsonObject[]): JsonObject {
  const blocks = new Map<number, Record<string, unknown>>();
  let message: JsonObject = {};
  let usage: JsonObject = {};
  let stop: JsonObject = {};
  for (const event of events) {
    const index = asNumber(event['index']) ?? 0;
    const delta = asObject(event['delta']) ?? {};
    if (event['type'] === 'message_start') {
      message = asObject(event['message']) ?? {};
      usage = asObject(message['usage']) ?? {};
    }
    if (event['type'] === 'content_block_start')
      blocks.set(index, { ...asObject(event['content_block']), json: '' });
    const block = blocks.get(index);
    if (event['type'] === 'content_block_delta' && block !== undefined) append(block, delta);
    if (event['type'] === 'message_delta') {
      stop = delta;
      usage = { ...usage, ...asObject(event['usage']) };
    }
  }
  const content = [...blocks.values()].map(({ json, ...block }) =>
    typeof json === 'string' && json !== '' ? { ...block, input: tryParseJson(json) } : block,
  );
  return { ...message, ...stop, content, usage };
}

function append(block: Record<string, unknown>, delta: JsonObject): void {
  const places = [
    ['text', 'text'],
    ['thinking', 'thinking'],
    ['json', 'partial_json'],
  ] as const;
  for (const [place, field] of places) {
    const piece = asText(delta[field]);
    if (piece !== undefined) block[place] = `${asText(block[place]) ?? ''}${piece}`;
  }
}

function foldChunks(chunks: readonly JsonObject[]): JsonObject {
  const message = { content: '', reasoning_content: '' };
  const calls = new Map<number, { function: { name: string; arguments: string } }>();
  let finish: unknown = null;
  let usage: unknown = null;
  for (const chunk of chunks) {
    usage = chunk['usage'] ?? usage;
    const [choice] = asObjects(chunk['choices']);
    const delta = asObject(choice?.['delta']) ?? {};
    finish = choice?.['finish_reason'] ?? finish;
    const parts = asObjects(delta['content']);
    message.content += asText(delta['content']) ?? textOf(parts);
    message.reasoning_content += parts.map(({ thinking }) => textOf(asObjects(thinking))).join('');
    message.reasoning_content += asText(delta['reasoning_content']) ?? '';
    for (const piece of asObjects(delta['tool_calls'])) {
      const index = asNumber(piece['index']) ?? 0;
      const call = calls.get(index) ?? { function: { name: '', arguments: '' } };
      const named = asObject(piece['function']);
      call.function.name += asText(named?.['name']) ?? '';
      call.function.arguments += asText(named?.['arguments']) ?? '';
      calls.set(index, call);
    }
  }
  const whole = { ...message, tool_calls: [...calls.values()] };
  return { choices: [{ message: whole, finish_reason: finish }], usage };
}

const textOf = (parts: readonly JsonObject[]): string => parts.map(({ text }) => asText(text) ?? '').join('');

function foldContents(chunks: readonly JsonObject[]): JsonObject {
  const parts: JsonObject[] = [];
  let finishReason: unknown;
  let usageMetadata: unknown;
  for (const chunk of chunks) {
    const [candidate] = asObjects(chunk['candidates']);
    parts.push(...asObjects(asObject(candidate?.['content'])?.['parts']));
    finishReason = candidate?.['finishReason'] ?? finishReason;
    usageMetadata = chunk['usageMetadata'] ?? usageMetadata;
  }
  return { candidates: [{ content: { parts }, finishReason }], usageMetadata };
}
