/** Conversations over OpenAI's official client with responses, which sends what was said again or only refers to it. */
import type OpenAI from 'openai';
import type { TestSluice } from '../sluice.ts';
import type { Heard, MatrixClient, Talk, TalkOptions } from './talk.ts';

type Item = OpenAI.Responses.ResponseInputItem;
type Body = OpenAI.Responses.ResponseCreateParamsNonStreaming;

/** What later turns hold of the earlier ones: all of it, references to the items that came, or the response before. */
export type Manner = 'whole' | 'items' | 'previous';

class ResponsesTalk implements Talk {
  readonly #client: OpenAI;
  readonly #model: string;
  readonly #streamed: boolean;
  readonly #manner: Manner;
  #input: Item[] = [];
  #previousId: string | null = null;

  constructor(client: OpenAI, { model, streamed, manner }: TalkTerms) {
    this.#client = client;
    this.#model = model;
    this.#streamed = streamed;
    this.#manner = manner;
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
    const body = {
      ...requestOf(options),
      ...(this.#manner === 'whole' ? { store: false } : { previous_response_id: this.#previousId }),
      model: options.model ?? this.#model,
      input: [...this.#input],
    };
    const { responses } = this.#client;
    const response = await (this.#streamed
      ? responses.stream({ ...body, stream: true }).finalResponse()
      : responses.create(body));
    if (response.status === 'failed') throw new Error(response.error?.message);
    this.#remember(response);
    return heardOf(response);
  }

  #remember({ id, output }: OpenAI.Responses.Response): void {
    if (this.#manner === 'previous') {
      this.#previousId = id;
      this.#input = [];
    } else if (this.#manner === 'whole') this.#input.push(...output.map(asInput));
    else for (const item of output) this.#input.push({ type: 'item_reference', id: item.id ?? '' });
  }
}

interface TalkTerms {
  readonly model: string;
  readonly streamed: boolean;
  readonly manner: Manner;
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

export const responsesMatrixClient = (manner: Manner): MatrixClient => ({
  name: 'responses',
  endpoint: '/v1/responses',
  protocol: 'responses',
  asksToSee: true,
  stops: false,
  namesStop: false,
  open: (sluice: TestSluice, model, streamed) =>
    new ResponsesTalk(sluice.client(), { model, streamed, manner }),
});
