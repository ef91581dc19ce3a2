/** OpenAI's official client with responses, unchanged, against every upstream protocol. */
import type OpenAI from 'openai';
import { runMatrix } from '../support/matrix/run-matrix.ts';
import type { Heard, MatrixClient, Talk, TalkOptions } from '../support/matrix/talk.ts';

type Item = OpenAI.Responses.ResponseInputItem;
type Body = OpenAI.Responses.ResponseCreateParamsNonStreaming;

class ResponsesTalk implements Talk {
  readonly #client: OpenAI;
  readonly #model: string;
  readonly #streamed: boolean;
  readonly #input: Item[] = [];

  constructor(client: OpenAI, model: string, streamed: boolean) {
    this.#client = client;
    this.#model = model;
    this.#streamed = streamed;
  }

  say(words: string, options: TalkOptions = {}): Promise<Heard> {
    const { image } = options;
    const url = `data:image/png;base64,${image}`;
    const shown = { type: 'input_image' as const, detail: 'auto' as const, image_url: url };
    const content = image === undefined ? words : [shown, { type: 'input_text' as const, text: words }];
    this.#input.push({ role: 'user', content });
    return this.#ask(options);
  }

  answer(calls: Heard['calls'], results: readonly string[], options: TalkOptions = {}): Promise<Heard> {
    for (const [index, { id }] of calls.entries()) {
      this.#input.push({ type: 'function_call_output', call_id: id, output: results[index] ?? '' });
    }
    return this.#ask(options);
  }

  async #ask(options: TalkOptions): Promise<Heard> {
    const body = { ...requestOf(options), model: options.model ?? this.#model, input: [...this.#input] };
    const { responses } = this.#client;
    const response = await (this.#streamed
      ? responses.stream({ ...body, stream: true }).finalResponse()
      : responses.create(body));
    if (response.status === 'failed') throw new Error(response.error?.message);
    this.#input.push(...response.output.map(asInput));
    return heardOf(response);
  }
}

/** Without what the stream helper adds, which the real host does not take back. */
function asInput(item: OpenAI.Responses.ResponseOutputItem): Item {
  const added = ['parsed', 'parsed_arguments'];
  return JSON.parse(JSON.stringify(item, (name, value) => (added.includes(name) ? undefined : value)));
}

type Plain = Omit<Body, 'model' | 'input' | 'stream'>;

function requestOf(options: TalkOptions): Plain {
  const { system, maxTokens, tools, demands, thinks, schema, temperature } = options;
  return {
    store: false,
    ...(system !== undefined && { instructions: system }),
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
    ...(thinks && {
      reasoning: { effort: 'low', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
    }),
    ...(temperature !== undefined && { temperature }),
    ...(demands !== undefined && { tool_choice: { type: 'function', name: demands } }),
    ...(schema && { text: { format: { type: 'json_schema', name: 'place', schema, strict: true } } }),
    ...(tools && {
      tools: tools.map(({ name, parameters }) => ({ type: 'function', name, parameters, strict: false })),
    }),
  };
}

function heardOf({
  output,
  status,
  incomplete_details: incomplete,
  usage,
}: OpenAI.Responses.Response): Heard {
  const parts = output.flatMap((item) => (item.type === 'message' ? item.content : []));
  const calls = output.filter((item) => item.type === 'function_call');
  const refuses = parts.some((part) => part.type === 'refusal') || incomplete?.reason === 'content_filter';
  const isCut = status === 'incomplete' && incomplete?.reason === 'max_output_tokens';
  const ended = status === 'completed' ? 'end' : 'other';
  return {
    text: parts.map((part) => (part.type === 'output_text' ? part.text : '')).join(''),
    thinking: output
      .flatMap((item) => (item.type === 'reasoning' ? item.summary : []))
      .map((part) => part.text)
      .join(''),
    calls: calls.map(({ call_id: id, name, arguments: text }) => ({ id, name, input: JSON.parse(text) })),
    stop: refuses ? 'refusal' : isCut ? 'length' : calls.length > 0 ? 'tools' : ended,
    stopSequence: null,
    usage: {
      input: usage?.input_tokens ?? 0,
      cached: usage?.input_tokens_details.cached_tokens ?? 0,
      output: usage?.output_tokens ?? 0,
    },
  };
}

const client: MatrixClient = {
  name: 'responses',
  endpoint: '/v1/responses',
  protocol: 'responses',
  asksToSee: true,
  stops: false,
  namesStop: false,
  open: (sluice, model, streamed) => new ResponsesTalk(sluice.client(), model, streamed),
};

runMatrix(client);
