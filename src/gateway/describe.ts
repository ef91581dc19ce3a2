/** The gateway's machine-readable description (OpenAPI 3.1.0), at /openapi/gateway.json. */
import { type DescribedEndpoint, describedEndpoints } from './described-endpoints.ts';

type Json = Readonly<Record<string, unknown>>;

export const descriptionPath = '/openapi/gateway.json';

export function describeGateway(): Json {
  const paths = new Map<string, Json>();
  for (const endpoint of describedEndpoints) {
    const { path, method } = endpoint;
    paths.set(path, { ...paths.get(path), [method.toLowerCase()]: operationOf(endpoint) });
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sluice gateway',
      version: '0.1.0',
      description:
        'Requests in the protocols of OpenAI, Anthropic and Google. Any chat model answers all chat endpoints. Main fields are named here; further ones are passed on where client and provider speak the same protocol.',
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, { apiKey: [] }],
    tags: [...new Set(describedEndpoints.map(({ tag }) => tag))].map((name) => ({ name })),
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API token' },
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The same token' },
        googleKey: {
          ...{ type: 'apiKey', in: 'header', name: 'x-goog-api-key' },
          description: 'The same token, on Gemini’s addresses; `?key=` is read there too',
        },
      },
      headers,
      schemas: { Error: errorSchema },
    },
  };
}

const isGeminis = ({ path }: DescribedEndpoint): boolean => path.startsWith('/v1beta/');

function operationOf(endpoint: DescribedEndpoint): Json {
  const { tag, summary, path, query = {}, body, example, bodyType = 'application/json' } = endpoint;
  const { answers = ['application/json'] } = endpoint;
  const { isPaid } = endpoint;
  const parameters: Json[] = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      ...{ name, in: 'path', required: true, schema: { type: 'string' } },
    })),
    ...Object.entries(query).map(([name, description]) => ({
      ...{ name, in: 'query', required: false, description, schema: { type: 'string' } },
    })),
    ...Object.entries(isPaid ? saidOfRequests : {}).map(([name, description]) => ({
      ...{ name, in: 'header', required: false, description, schema: { type: 'string' } },
    })),
  ];
  return {
    tags: [tag],
    summary,
    ...(isGeminis(endpoint) && { security: [{ bearer: [] }, { apiKey: [] }, { googleKey: [] }] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: {
        required: true,
        content: { [bodyType]: { schema: body, ...(example !== undefined && { example }) } },
      },
    }),
    responses: {
      200: {
        description: 'The answer, in the form of the protocol',
        headers: Object.fromEntries(
          headersOf(endpoint).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
        ),
        content: Object.fromEntries(answers.map((type) => [type, { schema: contentOf(type) }])),
      },
      ...refusalsOf(endpoint),
    },
  };
}

const contentOf = (type: string): Json => {
  if (type === 'application/json') return {};
  return type.startsWith('audio/') ? { type: 'string', format: 'binary' } : { type: 'string' };
};

/** Headers that a paid request can have. */
const saidOfRequests: Readonly<Record<string, string>> = {
  'Idempotency-Key':
    'A request of the same key is answered once: the same again gets the answer that was kept',
  'X-Session-Id': 'The session that the request belongs to; it stays with its provider',
  'x-sluice-tags': 'Kept with the usage record: `checkout,team=red`; at most 16',
  'x-sluice-explain': '`1` asks for `x-sluice-decision`',
  'x-sluice-rescue': '`on` or `off`: whether the rest of a stream is asked for should it break off',
};

const header = (description: string): Json => ({ description, schema: { type: 'string' } });
const headers = {
  'x-request-id': header('Names the request'),
  'request-id': header('The same, as the clients of Anthropic read it'),
  'x-sluice-overhead-ms': header('Time spent here, without the provider'),
  'x-sluice-provider': header('Which provider answered'),
  'x-sluice-session': header(
    'The session, who said it, how sure that is, and whether it stayed with its provider',
  ),
  'x-sluice-decision': header('Why this provider, as JSON, where the request asked by x-sluice-explain: 1'),
  'x-sluice-cost-usd': header('What a whole answer cost; a stream’s cost is in its usage record'),
  'x-sluice-left-out': header('What was left out of the request because it has no price'),
  'x-sluice-output-cap': header('The tokens that an answer was held to because no more is paid for'),
  'x-sluice-rescue': header('`ready` where the rest of a stream is asked for should it break off'),
  'x-sluice-model': header('The model that answered, where that is another of `models` than the first'),
  'x-sluice-idempotent-replay': header('`true` for an answer that was kept and is told again'),
  'x-sluice-autorouted': header('`true` where `auto` was asked for'),
  'x-sluice-autorouter-model': header('Which model `auto` stood for'),
  'x-sluice-autorouter-algorithm': header('How it was chosen: `cost`'),
  'x-sluice-autorouter-source': header('Whose setting chose how: `system`'),
  'x-ratelimit-remaining-requests': header('Of keys with a limit; there are `limit` and `reset` too'),
  'x-ratelimit-remaining-tokens': header('Of keys with a limit; there are `limit` and `reset` too'),
} as const;

function headersOf({ isPaid }: DescribedEndpoint): readonly string[] {
  const names = Object.keys(headers);
  return isPaid ? names : names.slice(0, 3);
}

const errorSchema = {
  description:
    'In the form of the protocol asked: that of OpenAI is shown; Anthropic’s and Google’s have their own, with `detail` beside it.',
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: {
        message: { type: 'string' },
        type: { type: 'string' },
        code: { type: ['string', 'null'] },
        param: { type: ['string', 'null'] },
        fields: { type: 'array', items: { type: 'object' }, description: 'What is wrong, by field' },
      },
    },
    detail: { type: 'string' },
  },
};

const always: Readonly<Record<number, string>> = {
  401: 'No token, or one that is unknown, disabled, expired, replaced or revoked',
  403: 'The account is suspended or its address not confirmed yet, the key lacks the scope, or a lock forbids it',
  404: 'Unknown model, response or address; where preferences are said, also that they leave nobody',
  500: 'A fault of ours; the log has it under the request id',
  503: 'The database is away, the process is stopping, or too much is held at once; it passes',
};
const ofBodies: Readonly<Record<number, string>> = {
  400: 'Malformed JSON, a wrong content type, or parameters that contradict each other',
  408: 'The body came too slowly',
  413: 'The body is too large',
  422: 'Fields of the wrong type or range',
};
const ofLimited: Readonly<Record<number, string>> = {
  429: 'A limit of the key or of its owner, with `retry-after`',
};
const ofPaid: Readonly<Record<number, string>> = {
  402: 'The wallet, or a budget, holds too little for the request',
  403: `${always[403]}; or what was asked has no price`,
  409: 'A request of the same `Idempotency-Key` is under way, or what this one goes on with is out of reach',
  422: `${ofBodies[422]}; or the \`Idempotency-Key\` is that of another request`,
  502: 'Every provider of the model failed',
  503: 'Every provider was overloaded or what may be used of them is spent; or this process cannot record or serve now',
  504: 'Every provider was too slow',
};

function refusalsOf({ body, isPaid }: DescribedEndpoint): Json {
  const reasons = {
    ...always,
    ...(body !== undefined && { ...ofBodies, ...ofLimited }),
    ...(isPaid && ofPaid),
  };
  const schema = { $ref: '#/components/schemas/Error' };
  return Object.fromEntries(
    Object.entries(reasons).map(([status, description]) => [
      status,
      { description, content: { 'application/json': { schema } } },
    ]),
  );
}
