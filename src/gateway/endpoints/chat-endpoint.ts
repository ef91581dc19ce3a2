/** An endpoint where a model converses, whatever protocol the client speaks. */
import { AppError } from '../../base/errors.ts';
import { isMeter, type Model, type Prices } from '../../catalogue/index.ts';
import type { JsonObject } from '../../protocols/json/fields.ts';
import { type PricedFeature, pricedFeaturesOf } from '../../protocols/priced-features.ts';
import type { ClientProtocol } from '../../protocols/protocol.ts';
import { readBounds, withOutputCap } from '../../protocols/request-bounds.ts';
import { guessTokens } from '../../protocols/token-count/guess-tokens.ts';
import type { ErrorWriter, InferenceRequest } from '../../protocols/translator.ts';
import { withoutFeatures } from '../../protocols/without-features.ts';
import type { Supports } from '../../providers/index.ts';
import { askChat } from '../ask-chat.ts';
import {
  type Arrival,
  type Asking,
  type Fitted,
  inferenceScopes,
  type PaidEndpoint,
  type Serving,
} from '../endpoint.ts';
import { expectedChatTokens } from '../expected-tokens.ts';
import { countedChatUsage, mostChatUsage, type ServedBy } from '../most-usage.ts';
import { readBody } from '../request-body.ts';
import type { HeldState } from '../session.ts';

export interface ChatEndpointParts {
  readonly path: string;
  readonly errors: ErrorWriter;
  readonly client: ClientProtocol;
  /** Headers that belong to the client's protocol and go on to an upstream that speaks the same one. */
  readonly protocolHeaders: readonly string[];
  checkHeaders?(headers: Headers): void;
  /** What goes before a provider is asked, where requests can refer to what was said before. */
  prepare?(asking: Asking<InferenceRequest>, isConverted: boolean): InferenceRequest;
  /** Where requests can refer to what was said before: with all of it that is kept here. */
  readonly asSent?: PaidEndpoint<InferenceRequest>['asSent'];
  /** Of requests that can go on with what an upstream of the same protocol holds. */
  heldState?(request: InferenceRequest): HeldState | null;
  /** @throws AppError for a body that is not a valid request. */
  readRequest(text: string, arrival: Arrival): InferenceRequest;
}

export interface ChatEndpoint extends PaidEndpoint<InferenceRequest> {
  /** Those of a request that go on to an upstream of the same protocol. */
  ownHeaders(headers: Headers): Readonly<Record<string, string>>;
}

export function chatEndpoint(parts: ChatEndpointParts): ChatEndpoint {
  const { path, errors, client, protocolHeaders, checkHeaders, prepare, asSent, heldState } = parts;
  const ownHeaders = (headers: Headers) => pickHeaders(headers, protocolHeaders);
  const endpoint: ChatEndpoint = {
    kind: 'paid',
    method: 'POST',
    path,
    scopes: inferenceScopes,
    errors,
    modelType: 'chat',
    ...(checkHeaders === undefined ? {} : { checkHeaders }),
    ...(heldState === undefined ? {} : { heldState }),
    ...(asSent === undefined ? {} : { asSent }),
    needsState: (supports) => passes(supports, client.name),
    readRequest: (reading, services) =>
      readBody(reading, services, (text) => parts.readRequest(text, reading)),
    neededCapabilities: capabilitiesFor,
    canServe: canChat,
    lacks: (request, model) => lacksOf(request, model, client.name),
    takesAll: (json) => takesAllOf(json, client.name),
    expectedTokens: expectedChatTokens(client.name),
    mostUsage: (request, serving) => mostChatUsage(client.name, request, servedBy(serving, client.name)),
    countedUsage: (request, serving) =>
      countedChatUsage(client.name, request, {
        ...servedBy(serving, client.name),
        readTurn: client.readRequest,
      }),
    capOutput: (request, tokens) => withOutputCap(client.name, request, tokens),
    fitToPrices: (request, model, prices) => fitToPrices(request, { client, model, prices }),
    ask: (asking) => askChat(asking, side),
    ownHeaders,
  };
  const side = { client, ownHeaders, prepare, endpoint };
  return endpoint;
}

/** By the words that each protocol uses for it; reading the messages part by part would cost more than it is worth. */
function capabilitiesFor({ json, text }: InferenceRequest): string[] {
  const tools = json['tools'];
  const usesTools = Array.isArray(tools) && tools.length > 0;
  const showsImages = /"type"\s*:\s*"(?:image|image_url|input_image)"|"mime_?[tT]ype"\s*:\s*"image\//.test(
    text,
  );
  return [...(usesTools ? ['tools'] : []), ...(showsImages ? ['vision'] : [])];
}

/** By the catalogue, and by the letters of the request. */
function lacksOf(request: InferenceRequest, model: Model, client: string): readonly string[] {
  const { capabilities, contextWindow, maxOutputTokens } = model;
  const lacked = capabilitiesFor(request).filter((needed) => !capabilities.includes(needed));
  const { outputTokens: tokens } = readBounds(client, request.json);
  if (contextWindow !== null && guessTokens(request.text) > contextWindow) lacked.push('context_window');
  if (tokens !== null && maxOutputTokens !== null && tokens > maxOutputTokens) lacked.push('output_bound');
  return lacked;
}

/** One function for all endpoints: what is found for it is found for all of them. */
const canChat = ({ chat }: Supports): boolean => chat !== undefined && chat.length > 0;

/** What every conversion between conversations carries whole. */
const carriedMembers: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'input', 'contents', 'system', 'instructions', 'systemInstruction'],
  ...['stream', 'stream_options', 'max_tokens', 'max_completion_tokens', 'max_output_tokens'],
  ...['tools', 'tool_choice', 'metadata'],
]);

/** Its own protocol takes a request as it came; a conversion may lose what another protocol has no place for. */
function takesAllOf(json: JsonObject, client: string): (supports: Supports) => boolean {
  const isPlain = Object.keys(json).every((name) => carriedMembers.has(name));
  return (supports) => isPlain || passes(supports, client);
}

/** Who converts some requests of its own protocol all the same keeps what bounds them, such as `max_tool_calls`. */
const passes = ({ chat = [] }: Supports, protocolName: string): boolean =>
  chat.some(({ protocol }) => protocol.name === protocolName);

const servedBy = ({ model, candidates }: Serving, client: string): ServedBy => ({
  model,
  isPassed: candidates.every(({ supports }) => passes(supports, client)),
  isAskedInChat: candidates.some(({ supports }) => passes(supports, 'chat-completions')),
});

const nothingLeftOut: readonly string[] = [];

function fitToPrices(
  request: InferenceRequest,
  { client, model, prices }: { client: ClientProtocol; model: Model; prices: Prices },
): Fitted<InferenceRequest> {
  const features = pricedFeaturesOf(client.name, request.json);
  if (features.length === 0) return { request, leftOut: nothingLeftOut };
  const isPriced = (meter: string) => isMeter(meter) && prices[meter] !== undefined;
  const unpriced = features.filter(({ meters }) => meters === null || !meters.every(isPriced));
  if (unpriced.length === 0) return { request, leftOut: nothingLeftOut };
  const refused = unpriced.find(({ without }) => without === 'refuse');
  const fitted = refused === undefined ? withoutFeatures(client.name, request, unpriced) : null;
  if (fitted !== null) return { request: fitted, leftOut: unpriced.map(({ name }) => name) };
  throw hasNoPrice(refused ?? unpriced.find(({ member }) => member === 'tools') ?? unpriced[0], model);
}

function hasNoPrice(feature: PricedFeature | undefined, { publicId }: Model): AppError {
  const { name = 'this', member = 'tools', meters = null } = feature ?? {};
  const advice =
    meters === null
      ? 'nothing here counts what it costs'
      : `your administrator can set ${meters.join(' and ')} among the model's prices`;
  return new AppError({
    code: 'model_unpriced',
    public: `${name} has no price on ${publicId}, so it cannot be used with a prepaid key. Leave it out, or ask for it: ${advice}.`,
    param: member,
  });
}

const noHeaders: Readonly<Record<string, string>> = {};

function pickHeaders(headers: Headers, names: readonly string[]): Readonly<Record<string, string>> {
  if (names.length === 0) return noHeaders;
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = headers.get(name);
    if (value !== null) picked[name] = value;
  }
  return picked;
}
