/** The comparison of answers itself: it notices the faults that a converter could make in what clients get. */
import { describe, expect, test } from 'bun:test';
import { asObjects, isJsonObject, tryParseJson } from '../../src/protocols/json/fields.ts';
import {
  hasRecordings,
  readRecording,
  recordedCases,
  recordedProtocols,
} from '../../src/protocols/testing/recordings.ts';
import { compareStream, compareWhole } from './compare-answers.ts';
import type { Finding } from './finding.ts';
import { mutationsOf } from './mutations.ts';
import type { Tamper } from './official-clients.ts';
import { streamMutationsOf } from './stream-mutations.ts';

const triesOfOneKind = 2;
const timeoutMs = 180_000;

/** In whole answers, by the protocol of the client. */
const wholes: readonly string[] = [
  'anthropic change .content[].text',
  'anthropic change .content[].thinking',
  'anthropic change .content[].name',
  'anthropic change .content[].input inside',
  'anthropic change .stop_reason',
  'anthropic change .usage.input_tokens',
  'anthropic change .usage.output_tokens',
  'anthropic change .usage.cache_read_input_tokens',
  'anthropic drop .content',
  'anthropic drop .content[].id',
  'anthropic drop .usage',
  'chat-completions change .choices[].finish_reason',
  'chat-completions change .choices[].message.content',
  'chat-completions change .choices[].message.reasoning_content',
  'chat-completions change .choices[].message.tool_calls[].function.arguments',
  'chat-completions change .choices[].message.tool_calls[].function.name',
  'chat-completions change .usage.prompt_tokens',
  'chat-completions change .usage.completion_tokens',
  'chat-completions change .usage.completion_tokens_details.reasoning_tokens',
  'chat-completions drop .choices[].message.tool_calls[]',
  'chat-completions drop .choices[].message.tool_calls[].id',
  'chat-completions change .usage.total_tokens',
  'chat-completions change .usage.prompt_tokens_details.cached_tokens',
  'chat-completions drop .usage',
  'responses change .output[].arguments',
  'responses change .output[].content[].text',
  'responses change .output[].name',
  'responses change .usage.input_tokens',
  'responses change .usage.output_tokens',
  'responses change .usage.output_tokens_details.reasoning_tokens',
  'responses change .usage.total_tokens',
  'responses change .usage.input_tokens_details.cached_tokens',
  'responses drop .output[].content[]',
  'responses drop .output[].call_id',
  'responses drop .usage',
  'google change .candidates[].content.parts[].text',
  'google change .candidates[].content.parts[].thought',
  'google change .candidates[].content.parts[].functionCall.name',
  'google change .candidates[].content.parts[].functionCall.args inside',
  'google change .candidates[].finishReason',
  'google change .usageMetadata.promptTokenCount',
  'google change .usageMetadata.cachedContentTokenCount',
  'google change .usageMetadata.candidatesTokenCount',
  'google change .usageMetadata.thoughtsTokenCount',
  'google change .usageMetadata.totalTokenCount',
  'google drop .candidates',
  'google drop .candidates[].content',
  'google drop .candidates[].content.parts[].text',
  'google drop .candidates[].content.parts[].thought',
  'google drop .candidates[].content.parts[].functionCall',
  'google drop .candidates[].content.parts[].functionCall.id',
  'google drop .candidates[].finishReason',
  'google drop .usageMetadata',
];

/** In streams. */
const streams: readonly string[] = [
  'anthropic drop content_block_delta text_delta',
  'anthropic drop content_block_delta thinking_delta',
  'anthropic drop content_block_start',
  'anthropic drop message_start',
  'anthropic drop message_delta',
  'anthropic drop message_stop',
  'anthropic change .delta.text in content_block_delta text_delta',
  'anthropic change .delta.partial_json in content_block_delta input_json_delta',
  'anthropic change .delta.stop_reason in message_delta',
  'anthropic change .content_block.name in content_block_start',
  'anthropic change .usage.output_tokens in message_delta',
  'anthropic swap content_block_delta text_delta and content_block_delta text_delta',
  'chat-completions drop chunk of content',
  'chat-completions drop chunk of reasoning_content',
  'chat-completions drop chunk of tool_calls',
  'chat-completions drop chunk of the end',
  'chat-completions drop chunk of usage',
  'chat-completions change .choices[].delta.content in chunk of content',
  'chat-completions change .choices[].delta.tool_calls[].function.arguments in chunk of tool_calls',
  'chat-completions change .choices[].delta.tool_calls[].function.name in chunk of tool_calls',
  'chat-completions change .choices[].finish_reason in chunk of the end',
  'chat-completions change .usage.prompt_tokens in chunk of usage',
  'chat-completions swap chunk of content and chunk of content',
  'responses drop response.created',
  'responses drop response.output_item.added',
  'responses drop response.output_text.delta',
  'responses drop response.function_call_arguments.delta',
  'responses drop response.completed',
  'responses change .delta in response.output_text.delta',
  'responses change .delta in response.function_call_arguments.delta',
  'responses change .item.call_id in response.output_item.done',
  'responses change .response.usage.output_tokens in response.completed',
  'responses swap response.output_text.delta and response.output_text.delta',
  'google drop piece of text',
  'google drop piece of thought',
  'google drop piece of functionCall',
  'google drop piece of the end',
  'google change .candidates[].content.parts[].text in piece of text',
  'google change .candidates[].content.parts[].text in piece of thought',
  'google change .candidates[].content.parts[].thought in piece of thought',
  'google change .candidates[].content.parts[].functionCall.name in piece of functionCall',
  'google change .candidates[].content.parts[].functionCall.args inside in piece of functionCall',
  'google change .candidates[].finishReason in piece of the end',
  'google change .usageMetadata.promptTokenCount in piece of the end',
  'google change .usageMetadata.candidatesTokenCount in piece of the end',
  'google swap piece of text and piece of text',
];

interface Fault {
  readonly what: string;
  body(): string;
}

type Compare = (tamper: Tamper) => Promise<Finding>;

describe.skipIf(!hasRecordings)('the comparison of answers', () => {
  test(
    'notices faults in whole answers',
    async () => {
      const noticed = new Noticed(wholes);
      // Some faults need what only a second turn has.
      for (const { text, ...rest } of [...recorded('response'), ...recorded('followup-response')]) {
        const of = { kind: 'answer', ...rest } as const;
        await noticed.tryAll(of.to, wholeFaults, (tamper) => compareWhole(of, text, tamper));
      }
      expect(noticed.result()).toEqual({ neverTried: [], overlooked: [] });
    },
    timeoutMs,
  );

  test(
    'notices faults in streams',
    async () => {
      const noticed = new Noticed(streams);
      for (const { text, ...rest } of recorded('response-streaming')) {
        const of = { kind: 'stream', ...rest } as const;
        const events = asObjects(tryParseJson(text));
        await noticed.tryAll(of.to, streamMutationsOf, (tamper) => compareStream(of, events, tamper));
      }
      expect(noticed.result()).toEqual({ neverTried: [], overlooked: [] });
    },
    timeoutMs,
  );
});

class Noticed {
  readonly #tries: Map<string, number>;
  readonly #overlooked: string[] = [];

  constructor(kinds: readonly string[]) {
    this.#tries = new Map(kinds.map((kind) => [kind, 0]));
  }

  /** The faults that are wanted, in the answer as the client would get it. */
  async tryAll(client: string, faultsOf: (body: string) => readonly Fault[], compare: Compare) {
    const wanted = [...this.#tries].filter(([kind]) => kind.startsWith(`${client} `));
    if (wanted.every(([, tries]) => tries >= triesOfOneKind)) return;
    let sent = '';
    const sound = await compare((body) => {
      sent = body;
      return body;
    });
    if (sound.outcome === 'failure') return;
    for (const { what, body } of faultsOf(sent)) {
      const kind = `${client} ${what}`;
      const tries = this.#tries.get(kind);
      if (tries === undefined || tries >= triesOfOneKind) continue;
      this.#tries.set(kind, tries + 1);
      const { outcome, name, from } = await compare(body);
      if (outcome !== 'failure') this.#overlooked.push(`${kind}: ${from} ${name}`);
    }
  }

  result() {
    const neverTried = [...this.#tries].flatMap(([kind, tries]) => (tries === 0 ? [kind] : []));
    return { neverTried, overlooked: this.#overlooked };
  }
}

function recorded(file: string) {
  return recordedCases().flatMap((name) =>
    recordedProtocols.flatMap((from) => {
      const text = readRecording(name, from, file);
      if (text === null) return [];
      return recordedProtocols.filter((to) => to !== from).map((to) => ({ name, file, from, to, text }));
    }),
  );
}

function wholeFaults(body: string): Fault[] {
  const json = tryParseJson(body);
  if (!isJsonObject(json)) return [];
  return mutationsOf(json).map(({ what, json: mutated }) => ({
    what,
    body: () => JSON.stringify(mutated()),
  }));
}
