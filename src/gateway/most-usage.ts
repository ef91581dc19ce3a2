/**
 * The most that a conversation can use, told at once from the request as it came: what its hold is the price of. Nothing
 * is parsed or tokenised for it: text has at most a token for each of its bytes, files are weighed at a glance, and no
 * prompt is longer than a model reads. README.md has the ceilings and what is beyond them.
 */
import { AppError } from '../base/errors.ts';
import type { ServiceTier } from '../base/token-usage.ts';
import type { Model, MostUnseen } from '../catalogue/index.ts';
import { doesSearch } from '../protocols/chat-completions/models.ts';
import { type HostedUse, mostHostedUse } from '../protocols/hosted-use.ts';
import { asObject, asTexts, type JsonObject } from '../protocols/json/fields.ts';
import { readBounds } from '../protocols/request-bounds.ts';
import { countTurnTokens } from '../protocols/token-count/count-turn.ts';
import { mostTokensOfImage } from '../protocols/token-count/file-tokens.ts';
import { ratesOf } from '../protocols/token-count/model-rates.ts';
import { type SeenFiles, seeFiles } from '../protocols/token-count/seen-files.ts';
import { askedTier } from '../protocols/translate/sent-extras.ts';
import type { InferenceRequest } from '../protocols/translator.ts';
import type { TurnRequest } from '../protocols/turn/request.ts';
import type { RequestBound } from './endpoint.ts';

type Asked = Pick<InferenceRequest, 'text' | 'json'>;

/** Vendors' instructions: around every request, with tools, and with each tool of their own. */
const framing = { request: 600, tools: 600, hostedTool: 3000 } as const;
/** Of a model of which nobody says what it reads. */
const usualWindow = 200_000;

export interface ServedBy {
  readonly model: Model;
  /** All who may serve the request are sent it as it came, or at least what bounds it. */
  readonly isPassed: boolean;
  /** One of them can be asked in chat completions, in which there are models that search unasked. */
  readonly isAskedInChat: boolean;
}

export function mostChatUsage(
  protocol: string,
  { text, json }: Asked,
  { model, isPassed, isAskedInChat }: ServedBy,
): RequestBound {
  const limits = limitsOf(model);
  const files = seeFiles(protocol, json, limits.imageTokens);
  const searches = isAskedInChat && limits.searches;
  const hosted = mostHostedUse(protocol, json, isPassed) ?? (searches ? oneSearch : null);
  const bytes = Buffer.byteLength(text) - files.characters;
  const instructions =
    framing.request +
    (json['tools'] == null ? 0 : framing.tools) +
    (hosted === null ? 0 : hosted.tools * framing.hostedTool);
  const inputTokens = Math.min(bytes + files.tokens + instructions, limits.window);
  const { outputTokens, choices } = readBounds(protocol, json);
  const tokens = Math.min(outputTokens ?? limits.outputTokens, limits.outputTokens);
  const unseen = unseenOf(files, hosted, { inputTokens, window: limits.window });
  return {
    usage: {
      inputTokens,
      audioInputTokens: Math.min(files.audioTokens, inputTokens),
      isStoredForAnHour: files.isStoredForAnHour,
      outputTokens: tokens * choices,
      hasSound: hasSound(json),
      // Only models that draw have a price for it, and some do so unasked.
      hasImages: true,
      tiers: tiersOf(protocol, json),
      ...(unseen === undefined ? undefined : { unseen }),
    },
    answer: { tokens, choices, isAsked: outputTokens !== null },
  };
}

const oneSearch: HostedUse = {
  tools: 0,
  steps: 1,
  tokensPerStep: 16_000,
  web_search: 1,
  file_search: 0,
  container: 0,
  image: 0,
};

function unseenOf(
  { unseenTokens, refersBack }: SeenFiles,
  hosted: HostedUse | null,
  { inputTokens, window }: { readonly inputTokens: number; readonly window: number },
): MostUnseen | undefined {
  if (hosted === null && unseenTokens === 0 && !refersBack) return undefined;
  const whole = Number.isFinite(window) ? window : Math.max(usualWindow, inputTokens);
  const elsewhere = refersBack ? whole : unseenTokens;
  const once = Math.min(elsewhere, whole);
  if (hosted === null) return { inputTokens: once };
  const { steps, tokensPerStep, web_search, file_search, container, image } = hosted;
  // Each step reads what was there before it, and what the steps before it found.
  const read = steps * (inputTokens + once) + (tokensPerStep * steps * (steps + 1)) / 2;
  return {
    inputTokens: once + Math.min(read, steps * whole),
    web_search,
    file_search,
    container,
    image,
  };
}

function hasSound(json: JsonObject): boolean {
  const modalities =
    json['modalities'] ??
    asObject(json['generationConfig'] ?? json['generation_config'])?.['responseModalities'];
  return modalities != null && asTexts(modalities).some((each) => each.toLowerCase() === 'audio');
}

const noTiers: readonly ServiceTier[] = [];

/** A provider may serve in the usual way what was asked for in another. */
function tiersOf(protocol: string, json: JsonObject): readonly ServiceTier[] {
  const tier = askedTier({ upstream: protocol, model: '', body: '', json });
  if (tier === undefined) return noTiers;
  return tier === 'us_fast' ? ['us', 'fast', 'us_fast'] : [tier];
}

interface ModelLimits {
  /** Of a prompt, with all that is said in answer to it; infinite where nobody says. */
  readonly window: number;
  readonly outputTokens: number;
  readonly imageTokens: number;
  /** In chat completions it searches the web for each answer, asked or not. */
  readonly searches: boolean;
}

/** The most that any well-known model writes, as of November 2026 (catalogue/price-list.json). */
const mostOutputTokens = 131_072;

/** A model is one object until the catalogue is read anew. */
const knownLimits = new WeakMap<Model, ModelLimits>();

function limitsOf(model: Model): ModelLimits {
  const known = knownLimits.get(model);
  if (known !== undefined) return known;
  const { deployments, contextWindow, maxOutputTokens } = model;
  const windows = deployments.map((each) => each.contextWindow ?? contextWindow ?? Number.POSITIVE_INFINITY);
  const window = Math.max(...windows, contextWindow ?? 0) || Number.POSITIVE_INFINITY;
  const limits = {
    window,
    outputTokens: maxOutputTokens ?? Math.min(window, mostOutputTokens),
    imageTokens: Math.max(
      0,
      ...deployments.map(({ upstreamId }) => mostTokensOfImage[ratesOf(upstreamId).images]),
    ),
    searches: deployments.some(({ upstreamId }) => doesSearch(upstreamId)),
  };
  knownLimits.set(model, limits);
  return limits;
}

/**
 * The same with the input as the tokeniser counts it, on the high side, with what the vendors add: closer than what is
 * told at once, and no bound of anything that nobody here can see.
 */
export async function countedChatUsage(
  protocol: string,
  request: Asked,
  { readTurn, ...served }: ServedBy & { readonly readTurn: (json: JsonObject) => TurnRequest },
): Promise<RequestBound> {
  const bound = mostChatUsage(protocol, request, served);
  const { inputTokens: most, audioInputTokens = 0 } = bound.usage;
  const inputTokens = Math.min(most, await countInput(request.json, served.model, readTurn));
  const usage = { ...bound.usage, inputTokens, audioInputTokens: Math.min(audioInputTokens, inputTokens) };
  return { ...bound, usage };
}

async function countInput(
  json: JsonObject,
  { deployments }: Model,
  readTurn: (json: JsonObject) => TurnRequest,
): Promise<number> {
  try {
    const turn = readTurn(json);
    const ids = new Set(deployments.map(({ upstreamId }) => upstreamId));
    return Math.max(...(await Promise.all([...ids].map((id) => countTurnTokens(turn, id)))));
  } catch (thrown) {
    // Nothing but the upstream knows what it means.
    if (thrown instanceof AppError || thrown instanceof RangeError) return Number.POSITIVE_INFINITY;
    throw thrown;
  }
}
