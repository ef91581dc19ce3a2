/** Anthropic's official client, unchanged, against every upstream protocol. */
import { describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { runMatrix } from '../support/matrix/run-matrix.ts';
import type { Heard, MatrixClient, Talk, TalkOptions } from '../support/matrix/talk.ts';
import { upstreamCases } from '../support/matrix/upstreams.ts';
import type { TestSluice } from '../support/sluice.ts';

const usualTokens = 1000;
const budgetTokens = 1500;

function clientFor(sluice: TestSluice): Anthropic {
  return new Anthropic({ baseURL: sluice.url, apiKey: sluice.token, maxRetries: 0 });
}

class MessagesTalk implements Talk {
  readonly #client: Anthropic;
  readonly #model: string;
  readonly #streamed: boolean;
  readonly #messages: Anthropic.MessageParam[] = [];

  constructor(client: Anthropic, model: string, streamed: boolean) {
    this.#client = client;
    this.#model = model;
    this.#streamed = streamed;
  }

  say(words: string, options: TalkOptions = {}): Promise<Heard> {
    const text = { type: 'text' as const, text: words };
    const source = { type: 'base64' as const, media_type: 'image/png' as const, data: options.image ?? '' };
    const content = options.image === undefined ? words : [{ type: 'image' as const, source }, text];
    return this.#ask({ role: 'user', content }, options);
  }

  answer(calls: Heard['calls'], results: readonly string[], options: TalkOptions = {}): Promise<Heard> {
    const content = calls.map(({ id }, index) => ({
      type: 'tool_result' as const,
      tool_use_id: id,
      content: results[index] ?? '',
    }));
    return this.#ask({ role: 'user', content }, options);
  }

  async #ask(message: Anthropic.MessageParam, options: TalkOptions): Promise<Heard> {
    this.#messages.push(message);
    const request = {
      ...requestOf(options),
      model: options.model ?? this.#model,
      messages: [...this.#messages],
    };
    const { messages } = this.#client;
    const answer = await (this.#streamed
      ? messages.stream(request).finalMessage()
      : messages.create(request));
    this.#messages.push({ role: 'assistant', content: answer.content });
    return heardOf(answer);
  }
}

function requestOf(
  options: TalkOptions,
): Omit<Anthropic.MessageCreateParamsNonStreaming, 'model' | 'messages'> {
  const { system, maxTokens, stop, tools, demands, thinks, schema, temperature } = options;
  return {
    max_tokens: maxTokens ?? usualTokens,
    ...(system !== undefined && { system }),
    ...(stop !== undefined && { stop_sequences: ['never', stop] }),
    ...(thinks && { thinking: { type: 'enabled', budget_tokens: budgetTokens } }),
    ...(temperature !== undefined && { temperature }),
    ...(demands !== undefined && { tool_choice: { type: 'tool', name: demands } }),
    ...(schema && { output_config: { format: { type: 'json_schema', schema } } }),
    ...(tools && { tools: tools.map(({ name, parameters }) => ({ name, input_schema: parameters })) }),
  };
}

const stops: Readonly<Record<string, Heard['stop']>> = {
  end_turn: 'end',
  stop_sequence: 'end',
  max_tokens: 'length',
  tool_use: 'tools',
  refusal: 'refusal',
};

function heardOf({ content, stop_reason, stop_sequence, usage }: Anthropic.Message): Heard {
  const cached = usage.cache_read_input_tokens ?? 0;
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    thinking: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    calls: content.filter((block) => block.type === 'tool_use'),
    stop: stops[stop_reason ?? ''] ?? 'other',
    stopSequence: stop_sequence,
    usage: { input: usage.input_tokens + cached, cached, output: usage.output_tokens },
  };
}

const client: MatrixClient = {
  name: 'the Anthropic client',
  endpoint: '/v1/messages',
  protocol: 'messages',
  asksToSee: true,
  stops: true,
  namesStop: true,
  open: (sluice, model, streamed) => new MessagesTalk(clientFor(sluice), model, streamed),
};

const sluice = runMatrix(client);

describe.each([...upstreamCases])('the runner of tools over $protocol', ({ model }) => {
  test.each([false, true])('calls them until the model is done (streamed: %p)', async (stream) => {
    sluice().upstream.enqueue(
      { generate: { toolCalls: 2 } },
      { generate: { toolCalls: 1 } },
      { generate: { text: 'Done.' } },
    );
    const asked: unknown[] = [];
    const runner = clientFor(sluice()).beta.messages.toolRunner({
      model,
      max_tokens: usualTokens,
      messages: [{ role: 'user', content: 'How is the weather?' }],
      stream,
      tools: [
        {
          type: 'custom',
          name: 'weather',
          input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
          parse: (input: unknown) => input,
          run: (input: unknown) => {
            asked.push(input);
            return 'rain';
          },
        },
      ],
    });
    const { content } = await runner.runUntilDone();
    expect(content.filter((block) => block.type === 'text')).toMatchObject([{ text: 'Done.' }]);
    expect(asked).toEqual([{ city: 'sample' }, { city: 'sample' }, { city: 'sample' }]);
  });
});
