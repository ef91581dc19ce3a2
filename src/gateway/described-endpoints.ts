/** What each endpoint is for, its main fields and what it answers: data for the description that programs and people read. */

type Schema = Readonly<Record<string, unknown>>;

export interface DescribedEndpoint {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Parameters as `{id}`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  /** True where providers do the work and the request is paid for. */
  readonly isPaid: boolean;
  readonly body?: Schema;
  /** A body that works with a model of the kind. */
  readonly example?: Schema;
  /** `application/json` unless it says otherwise. */
  readonly bodyType?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Media types of the answer with what each holds; `application/json` alone when not given. */
  readonly answers?: readonly string[];
}

const object = (required: readonly string[], properties: Schema): Schema => ({
  type: 'object',
  required,
  properties,
  additionalProperties: true,
});
const text = (description: string): Schema => ({ type: 'string', description });
const flag = (description: string): Schema => ({ type: 'boolean', description });
const whole = (description: string): Schema => ({ type: 'integer', minimum: 1, description });
const list = (description: string): Schema => ({ type: 'array', items: {}, description });
const model = text('A model of `GET /v1/models`, one of its other names, or `auto`');
const stream = flag('Server-sent events instead of one answer');
const tools = list('Functions that the model may call');
const names = (description: string): Schema => ({ type: 'array', items: { type: 'string' }, description });

/** What every request in JSON may say of who answers it. */
const preferences: Schema = {
  models: names('Models to fall back on behind `model`, in order; at most 10'),
  provider: {
    type: 'object',
    description: 'By whom it wants to be answered; for the gateway alone',
    additionalProperties: false,
    properties: {
      order: names('Providers to ask first'),
      only: names('Who may be asked'),
      ignore: names('Who may not be asked'),
      sort: { description: '`price`, `throughput` or `latency`, or `{by}` with one of them' },
      max_price: { type: 'object', description: '`prompt` and `completion` in USD for a million tokens' },
      quantizations: names('Such as `bf16`; `unknown` lets pass those of which nobody says it'),
      data_collection: { type: 'string', enum: ['allow', 'deny'] },
      zdr: flag('Nobody but who is known to keep nothing'),
      allow_fallbacks: flag('False asks nobody but the first, or those of `order`'),
      require_parameters: flag('Nobody but who takes all members as they are'),
    },
  },
};

const question = 'Why is the sky blue?';
const messages = [{ role: 'user', content: question }];
const contents = [{ role: 'user', parts: [{ text: question }] }];

const json = 'application/json';
const events = 'text/event-stream';
const chat = 'Chat';
const kept = 'Kept responses';
const more = 'Embeddings, reranking, audio';
const gemini = 'Gemini';

const generateBody = object(['contents'], {
  contents: list('Turns with their parts'),
  systemInstruction: { type: 'object' },
  generationConfig: { type: 'object' },
  tools,
});

const transcriptionBody = object(['file'], {
  file: { type: 'string', format: 'binary', description: 'WAV, MP3, M4A, FLAC, OGG or WebM up to 25 MiB' },
  model: text('The first transcription model when left out'),
  language: text('Of what is said, such as `en`'),
  prompt: text('Words that help to recognise what is said'),
  response_format: { type: 'string', enum: ['json', 'text', 'srt', 'verbose_json', 'vtt'] },
  temperature: { type: 'number' },
});

export const describedEndpoints: readonly DescribedEndpoint[] = [
  {
    ...{ method: 'POST', path: '/v1/chat/completions', tag: chat, isPaid: true, answers: [json, events] },
    example: { model: 'auto', messages },
    summary: 'Chat completions, as OpenAI has them',
    body: object(['model', 'messages'], {
      model,
      messages: list('The conversation so far, each with `role` and `content`'),
      stream,
      max_completion_tokens: whole('The bound of the answer; `max_tokens` is read too'),
      temperature: { type: 'number', minimum: 0, maximum: 2 },
      top_p: { type: 'number' },
      tools,
      tool_choice: {},
      response_format: { type: 'object' },
      ...preferences,
      reasoning_effort: text('How much the model may reason'),
    }),
  },
  {
    ...{ method: 'POST', path: '/v1/responses', tag: chat, isPaid: true, answers: [json, events] },
    example: { model: 'auto', input: question },
    summary: 'Responses, as OpenAI has them',
    body: object(['model', 'input'], {
      model,
      input: { description: 'A text, or a list of items' },
      instructions: text('For the model, before the input'),
      stream,
      store: flag('Whether the answer is kept for a while, so that a request can refer to it'),
      previous_response_id: text('A kept response that this continues'),
      max_output_tokens: whole('The bound of the answer'),
      tools,
      reasoning: { type: 'object' },
      ...preferences,
    }),
  },
  {
    ...{ method: 'POST', path: '/v1/messages', tag: chat, isPaid: true, answers: [json, events] },
    example: { model: 'auto', max_tokens: 1024, messages },
    summary: 'Messages, as Anthropic has them',
    body: object(['model', 'max_tokens', 'messages'], {
      model,
      max_tokens: whole('The bound of the answer'),
      messages: list('The conversation so far'),
      system: { description: 'A text, or a list of blocks' },
      stream,
      tools,
      thinking: { type: 'object' },
      ...preferences,
    }),
  },
  {
    ...{ method: 'POST', path: '/v1/messages/count_tokens', tag: chat, isPaid: false },
    example: { model: 'auto', messages },
    summary: 'Count the tokens of messages; `x-sluice-token-count` says whether they are exact or estimated',
    body: object(['model', 'messages'], { model, messages: list('The conversation so far'), tools }),
  },
  {
    ...{ method: 'POST', path: '/v1/explain', tag: chat, isPaid: false },
    example: { model: 'auto', messages },
    summary: 'Which providers would be asked for a request, and why; nobody is asked, nothing charged',
    query: { endpoint: 'The path of the endpoint whose body this is; `/v1/chat/completions` when left out' },
    body: object(['model', 'messages'], {
      ...{ model, messages: list('The conversation so far'), tools, ...preferences },
    }),
  },
  {
    ...{ method: 'POST', path: '/v1/native/responses', tag: chat, isPaid: true, answers: [events] },
    example: { model: 'auto', input: [{ role: 'user', content: question }], stream: true, store: false },
    summary: 'Responses as they came, to a service behind OAuth; `/v1/codex/responses` is the same',
    body: object(['model'], { model, input: {}, instructions: { type: 'string' } }),
  },
  {
    ...{ method: 'GET', path: '/v1/responses/{id}', tag: kept, isPaid: false },
    summary: 'A response that is still kept, for the key that got it',
  },
  {
    ...{ method: 'DELETE', path: '/v1/responses/{id}', tag: kept, isPaid: false },
    summary: 'Drop a kept response',
  },
  {
    ...{ method: 'GET', path: '/v1/responses/{id}/input_items', tag: kept, isPaid: false },
    summary: 'What was asked for a kept response',
    query: { order: '`asc` for the oldest first' },
  },
  {
    ...{ method: 'GET', path: '/v1/models', tag: 'Models', isPaid: false },
    summary: 'The models that the key can use: an array, or the list that an official client expects',
    query: { format: '`openai` for the list of OpenAI’s clients' },
  },
  {
    ...{ method: 'GET', path: '/v1/models/{id}', tag: 'Models', isPaid: false },
    summary: 'One model',
  },
  {
    ...{ method: 'GET', path: '/v1/generation/{id}', tag: 'Usage', isPaid: false },
    summary:
      'What a request of the key’s owner used and what it costs, line by line; the id is its `x-request-id`',
  },
  {
    ...{ method: 'GET', path: '/v1/key', tag: 'Keys', isPaid: false },
    summary:
      'The key that asks: its wallet, limits, locks, and what it spent today; amounts are USD in decimal text',
  },
  {
    ...{ method: 'POST', path: '/v1/embeddings', tag: more, isPaid: true },
    example: { model: 'text-embedding', input: [question] },
    summary: 'Embeddings',
    body: object(['model', 'input'], {
      model,
      input: { description: 'A text, a list of texts, or ids of tokens' },
      dimensions: whole('The length of the vectors, where the model lets it be chosen'),
      encoding_format: { type: 'string', enum: ['float', 'base64'] },
    }),
  },
  {
    ...{ method: 'POST', path: '/v1/rerank', tag: more, isPaid: true },
    example: {
      model: 'rerank',
      query: question,
      documents: ['Air scatters blue light most.', 'Grass is green.'],
    },
    summary: 'Sort documents by how well they answer a query; `/v2/rerank` is the same',
    body: object(['model', 'query', 'documents'], {
      model,
      query: text('What is looked for'),
      documents: list('Texts, or objects with a `text`'),
      top_n: whole('How many to return'),
      return_documents: flag('Whether the texts come back with their scores'),
    }),
  },
  {
    ...{ method: 'POST', path: '/v1/audio/transcriptions', tag: more, isPaid: true },
    ...{ bodyType: 'multipart/form-data', body: transcriptionBody, answers: [json, 'text/plain'] },
    summary: 'Write down what is said',
  },
  {
    ...{ method: 'POST', path: '/v1/audio/translations', tag: more, isPaid: true },
    ...{ bodyType: 'multipart/form-data', body: transcriptionBody, answers: [json, 'text/plain'] },
    summary: 'Write down in English what is said, where the provider can',
  },
  {
    ...{ method: 'POST', path: '/v1/audio/speech', tag: more, isPaid: true },
    answers: ['audio/mpeg', 'audio/wav'],
    example: { model: 'speech', input: 'The sky is blue.', voice: 'alloy' },
    summary: 'Speak a text',
    body: object(['model', 'input', 'voice'], {
      model,
      input: text('What to say'),
      voice: text('One of the provider’s voices'),
      response_format: { type: 'string', enum: ['mp3', 'wav'] },
    }),
  },
  {
    ...{ method: 'POST', path: '/v1beta/models/{model}:generateContent', tag: gemini, isPaid: true },
    example: { contents },
    summary: 'generateContent, as Gemini has it; under `/v1` too',
    body: generateBody,
  },
  {
    ...{ method: 'POST', path: '/v1beta/models/{model}:streamGenerateContent', tag: gemini, isPaid: true },
    answers: [json, events],
    example: { contents },
    summary: 'The same as a stream: a JSON array, or events',
    query: { alt: '`sse` for server-sent events' },
    body: generateBody,
  },
  {
    ...{ method: 'POST', path: '/v1beta/models/{model}:countTokens', tag: gemini, isPaid: false },
    example: { contents },
    summary: 'Count the tokens of contents',
    body: generateBody,
  },
  {
    ...{ method: 'GET', path: '/v1beta/models', tag: gemini, isPaid: false },
    summary: 'The models that the key can use, as Gemini’s clients expect them',
  },
  {
    ...{ method: 'GET', path: '/v1beta/models/{model}', tag: gemini, isPaid: false },
    summary: 'One model, as Gemini’s clients expect it',
  },
];
