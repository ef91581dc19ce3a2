/** What a whole answer says, read from each protocol's own JSON without any of the code under test. */
import {
  asNumber,
  asObject,
  asObjects,
  asText,
  isJsonObject,
  type JsonObject,
  tryParseJson,
} from '../../src/protocols/json/fields.ts';
import type { RecordedProtocol } from '../../src/protocols/testing/recordings.ts';

export interface Said {
  readonly text: string;
  /** Without white space, which protocols put between pieces as they like. */
  readonly thinking: string;
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
  /** In the words that all protocols share. */
  readonly stop: 'end' | 'max_tokens' | 'tool_use' | 'refusal' | 'unknown';
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** Of the output. */
  readonly reasoningTokens: number;
}

export function readSaid(protocol: RecordedProtocol, json: unknown): Said {
  const answer = asObject(json) ?? {};
  switch (protocol) {
    case 'anthropic':
      return saidByMessage(answer);
    case 'chat-completions':
      return saidByCompletion(answer);
    case 'responses':
      return saidByResponse(answer);
    case 'google':
      return saidByContent(answer);
  }
}

const bare = (text: string): string => text.replaceAll(/\s/g, '');
const join = (objects: readonly JsonObject[], field: string): string =>
  objects.map((one) => asText(one[field]) ?? '').join('');
const ofType = (objects: readonly JsonObject[], ...types: string[]): JsonObject[] =>
  objects.filter(({ type }) => types.some((known) => known === type));
const parse = (text: unknown): unknown => tryParseJson(asText(text) === '' ? '{}' : (asText(text) ?? '{}'));

const count = (object: JsonObject | undefined, field: string): number => asNumber(object?.[field]) ?? 0;

function saidByMessage({ content, stop_reason, usage }: JsonObject): Said {
  const blocks = asObjects(content);
  const counts = countedSteps(asObject(usage));
  const cached = count(counts, 'cache_read_input_tokens');
  const stops: Record<string, Said['stop']> = {
    end_turn: 'end',
    stop_sequence: 'end',
    pause_turn: 'end',
    max_tokens: 'max_tokens',
    model_context_window_exceeded: 'max_tokens',
    tool_use: 'tool_use',
    refusal: 'refusal',
  };
  return {
    text: joinApart(blocks.map(({ type, text }) => pieceOf(String(type), text))),
    thinking: bare(join(ofType(blocks, 'thinking'), 'thinking')),
    calls: ofType(blocks, 'tool_use').map(({ name, input }) => ({ name: asText(name) ?? '', input })),
    stop: stops[asText(stop_reason) ?? ''] ?? 'unknown',
    inputTokens: count(counts, 'input_tokens') + count(counts, 'cache_creation_input_tokens') + cached,
    cachedTokens: cached,
    outputTokens: count(counts, 'output_tokens'),
    reasoningTokens: count(asObject(asObject(usage)?.['output_tokens_details']), 'thinking_tokens'),
  };
}

const trace = Symbol('of a tool that the vendor ran');

function pieceOf(type: string, text: unknown): string | typeof trace | undefined {
  if (type === 'text') return asText(text) ?? '';
  return ['thinking', 'redacted_thinking', 'tool_use'].includes(type) ? undefined : trace;
}

/** Texts between which nothing but traces stood are told apart from each other. */
function joinApart(pieces: readonly (string | typeof trace | undefined)[]): string {
  let said = '';
  let before: 'text' | 'trace' | undefined;
  for (const piece of pieces) {
    if (piece === '') continue;
    if (piece === undefined) before = undefined;
    else if (piece === trace) before = before === undefined ? undefined : 'trace';
    else {
      said += (before === 'trace' ? '\n\n' : '') + piece;
      before = 'text';
    }
  }
  return said;
}

/** The counts of the whole leave out steps such as compaction, which are paid for like any other. */
function countedSteps(usage: JsonObject | undefined): JsonObject | undefined {
  const steps = asObjects(usage?.['iterations']);
  if (steps.length === 0) return usage;
  const names = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'output_tokens'];
  return Object.fromEntries(
    names.map((name) => [name, steps.reduce((sum, step) => sum + count(step, name), 0)]),
  );
}

function saidByCompletion({ choices, usage }: JsonObject): Said {
  const [choice] = asObjects(choices);
  const message = asObject(choice?.['message']) ?? {};
  const counts = asObject(usage);
  const stops: Record<string, Said['stop']> = {
    stop: 'end',
    length: 'max_tokens',
    tool_calls: 'tool_use',
    content_filter: 'refusal',
  };
  // Some hosts show their thinking as a part of the content.
  const parts = asObjects(message['content']);
  const shown = ofType(parts, 'thinking').flatMap(({ thinking }) => asObjects(thinking));
  return {
    text: asText(message['content']) ?? join(ofType(parts, 'text'), 'text'),
    thinking: bare(
      asText(message['reasoning_content']) ?? asText(message['reasoning']) ?? join(shown, 'text'),
    ),
    calls: asObjects(message['tool_calls']).map((call) => {
      const called = asObject(call['function']);
      const custom = asObject(call['custom']);
      // As it stands where there are only functions.
      if (custom !== undefined)
        return { name: asText(custom['name']) ?? '', input: { input: custom['input'] } };
      return { name: asText(called?.['name']) ?? '', input: parse(called?.['arguments']) };
    }),
    stop: stops[asText(choice?.['finish_reason']) ?? ''] ?? 'unknown',
    inputTokens: count(counts, 'prompt_tokens'),
    cachedTokens:
      count(asObject(counts?.['prompt_tokens_details']), 'cached_tokens') || count(counts, 'cached_tokens'),
    // Some hosts count reasoning beside the completion; the total has both.
    outputTokens: count(counts, 'total_tokens') - count(counts, 'prompt_tokens'),
    reasoningTokens: count(asObject(counts?.['completion_tokens_details']), 'reasoning_tokens'),
  };
}

function saidByResponse({ output, status, incomplete_details, usage }: JsonObject): Said {
  const items = asObjects(output);
  const parts = ofType(items, 'message').flatMap(({ content }) => asObjects(content));
  const thoughts = ofType(items, 'reasoning').flatMap(({ summary, content }) => [
    ...asObjects(summary),
    ...asObjects(content),
  ]);
  const calls = ofType(items, 'function_call', 'custom_tool_call');
  const counts = asObject(usage);
  const reason = asText(asObject(incomplete_details)?.['reason']);
  const refused = ofType(parts, 'refusal').length > 0 || reason === 'content_filter';
  const ended = status === 'incomplete' ? 'max_tokens' : calls.length > 0 ? 'tool_use' : 'end';
  return {
    text: join(ofType(parts, 'output_text'), 'text'),
    thinking: bare(join(thoughts, 'text')),
    calls: calls.map(({ type, name, arguments: json, input }) => ({
      name: asText(name) ?? '',
      input: type === 'custom_tool_call' ? { input } : parse(json),
    })),
    stop: refused ? 'refusal' : ended,
    inputTokens: count(counts, 'input_tokens'),
    cachedTokens: count(asObject(counts?.['input_tokens_details']), 'cached_tokens'),
    outputTokens: count(counts, 'output_tokens'),
    reasoningTokens: count(asObject(counts?.['output_tokens_details']), 'reasoning_tokens'),
  };
}

function saidByContent({ candidates, usageMetadata }: JsonObject): Said {
  const [candidate] = asObjects(candidates);
  const parts = asObjects(asObject(candidate?.['content'])?.['parts']);
  const calls = parts.map(({ functionCall }) => functionCall).filter(isJsonObject);
  const counts = asObject(usageMetadata);
  const stops: Record<string, Said['stop']> = {
    STOP: calls.length > 0 ? 'tool_use' : 'end',
    NO_IMAGE: 'end',
    MAX_TOKENS: 'max_tokens',
    SAFETY: 'refusal',
    PROHIBITED_CONTENT: 'refusal',
  };
  return {
    text: joinApart(
      parts.map((part) => {
        if (part['executableCode'] != null || part['codeExecutionResult'] != null) return trace;
        const isSaid = part['thought'] !== true && part['functionCall'] === undefined;
        return isSaid ? (asText(part['text']) ?? '') : undefined;
      }),
    ),
    thinking: bare(
      join(
        parts.filter(({ thought }) => thought === true),
        'text',
      ),
    ),
    calls: calls.map(({ name, args }) => ({ name: asText(name) ?? '', input: args ?? {} })),
    stop: stops[asText(candidate?.['finishReason']) ?? ''] ?? 'unknown',
    inputTokens: count(counts, 'promptTokenCount') + count(counts, 'toolUsePromptTokenCount'),
    cachedTokens: count(counts, 'cachedContentTokenCount'),
    outputTokens: count(counts, 'candidatesTokenCount') + count(counts, 'thoughtsTokenCount'),
    reasoningTokens: count(counts, 'thoughtsTokenCount'),
  };
}
