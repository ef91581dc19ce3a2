/** OpenAI's official client with chat completions, unchanged, against every upstream protocol. */
import { describe, expect, test } from 'bun:test';
import type OpenAI from 'openai';
import { runMatrix } from '../support/matrix/run-matrix.ts';
import type { Heard, MatrixClient, Talk, TalkOptions } from '../support/matrix/talk.ts';
import { upstreamCases } from '../support/matrix/upstreams.ts';
import { isObject, readList, readText } from '../support/upstream/json.ts';

type Message = OpenAI.ChatCompletionMessageParam;
type Body = OpenAI.ChatCompletionCreateParamsNonStreaming;

class ChatTalk implements Talk {
  readonly #client: OpenAI;
  readonly #model: string;
  readonly #streamed: boolean;
  readonly #messages: Message[] = [];

  constructor(client: OpenAI, model: string, streamed: boolean) {
    this.#client = client;
    this.#model = model;
    this.#streamed = streamed;
  }

  say(words: string, options: TalkOptions = {}): Promise<Heard> {
    const { image, system } = options;
    if (system !== undefined) this.#messages.push({ role: 'system', content: system });
    const url = `data:image/png;base64,${image}`;
    const shown = { type: 'image_url' as const, image_url: { url } };
    const content = image === undefined ? words : [shown, { type: 'text' as const, text: words }];
    this.#messages.push({ role: 'user', content });
    return this.#ask(options);
  }

  answer(calls: Heard['calls'], results: readonly string[], options: TalkOptions = {}): Promise<Heard> {
    for (const [index, { id }] of calls.entries()) {
      this.#messages.push({ role: 'tool', tool_call_id: id, content: results[index] ?? '' });
    }
    return this.#ask(options);
  }

  async #ask(options: TalkOptions): Promise<Heard> {
    const body = {
      ...requestOf(options),
      model: options.model ?? this.#model,
      messages: [...this.#messages],
    };
    const completion = await (this.#streamed
      ? this.#stream(body)
      : this.#client.chat.completions.create(body));
    const [choice] = completion.choices;
    if (choice === undefined || completion.choices.length !== 1) throw new Error('there is not one choice');
    this.#messages.push(choice.message);
    return heardOf(choice, completion.usage);
  }

  /** The helper keeps only the last piece of fields it does not know, so these are put together here, as agents do. */
  async #stream(body: Body): Promise<OpenAI.ChatCompletion> {
    const runner = this.#client.chat.completions.stream({
      ...body,
      stream: true,
      stream_options: { include_usage: true },
    });
    let reasoning = '';
    const details: unknown[] = [];
    runner.on('chunk', ({ choices: [choice] }) => {
      reasoning += readText(choice?.delta, 'reasoning_content') ?? '';
      details.push(...readList(choice?.delta, 'reasoning_details'));
    });
    const completion = await runner.finalChatCompletion();
    for (const { message } of completion.choices) {
      if (reasoning !== '') Reflect.set(message, 'reasoning_content', reasoning);
      if (details.length > 0) Reflect.set(message, 'reasoning_details', joinDetails(details));
    }
    return completion;
  }
}

/** Pieces of one index are one entry: texts grow, what else they have stays. */
function joinDetails(pieces: readonly unknown[]): object[] {
  const joined = new Map<unknown, Record<string, unknown>>();
  for (const piece of pieces.filter(isObject)) {
    const known = joined.get(piece['index']);
    const text = `${known?.['text'] ?? ''}${piece['text'] ?? ''}`;
    joined.set(piece['index'], { ...known, ...piece, ...(text !== '' && { text }) });
  }
  return [...joined.values()];
}

function requestOf(options: TalkOptions): Omit<Body, 'model' | 'messages'> {
  const { maxTokens, stop, tools, demands, thinks, schema, temperature } = options;
  return {
    ...(maxTokens !== undefined && { max_completion_tokens: maxTokens }),
    ...(stop !== undefined && { stop: ['never', stop] }),
    ...(thinks && { reasoning_effort: 'low' }),
    ...(temperature !== undefined && { temperature }),
    ...(demands !== undefined && { tool_choice: { type: 'function', function: { name: demands } } }),
    ...(schema && {
      response_format: { type: 'json_schema', json_schema: { name: 'place', schema, strict: true } },
    }),
    ...(tools && {
      tools: tools.map(({ name, parameters }) => ({ type: 'function', function: { name, parameters } })),
    }),
  };
}

const stops: Readonly<Record<string, Heard['stop']>> = {
  stop: 'end',
  length: 'length',
  tool_calls: 'tools',
  content_filter: 'refusal',
};

function heardOf(
  { message, finish_reason }: OpenAI.ChatCompletion.Choice,
  usage: OpenAI.CompletionUsage | undefined,
): Heard {
  const calls = (message.tool_calls ?? []).filter((call) => call.type === 'function');
  return {
    text: message.content ?? '',
    thinking: readText(message, 'reasoning_content') ?? '',
    calls: calls.map(({ id, function: { name, arguments: text } }) => ({
      id,
      name,
      input: JSON.parse(text),
    })),
    stop: message.refusal ? 'refusal' : (stops[finish_reason] ?? 'other'),
    stopSequence: null,
    usage: {
      input: usage?.prompt_tokens ?? 0,
      cached: usage?.prompt_tokens_details?.cached_tokens ?? 0,
      output: usage?.completion_tokens ?? 0,
    },
  };
}

const client: MatrixClient = {
  name: 'chat completions',
  endpoint: '/v1/chat/completions',
  protocol: 'chat completions',
  asksToSee: false,
  stops: true,
  namesStop: false,
  open: (sluice, model, streamed) => new ChatTalk(sluice.client(), model, streamed),
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
    const tool = {
      type: 'function' as const,
      function: {
        name: 'weather',
        description: 'Tells the weather.',
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        parse: JSON.parse,
        function: (input: unknown) => {
          asked.push(input);
          return 'rain';
        },
      },
    };
    const { completions } = sluice().client().chat;
    const body = { model, messages: [{ role: 'user' as const, content: 'How is it?' }], tools: [tool] };
    const runner = stream ? completions.runTools({ ...body, stream }) : completions.runTools(body);
    expect(await runner.finalContent()).toBe('Done.');
    expect(asked).toEqual([{ city: 'sample' }, { city: 'sample' }, { city: 'sample' }]);
  });
});
