/** What OpenAI's models take, by their ids, wherever they are served: the protocols stay, the models change. */
import type { UpstreamModel } from '../protocol.ts';
import { type Effort, effortOfBudget, efforts, type Reasoning } from '../turn/request.ts';

interface ModelRow {
  readonly family: 'gpt' | 'gpt-chat' | 'gpt-codex' | 'gpt-codex-max' | 'gpt-pro' | 'o';
  /** The first version that the row is true of: 502 for 5.2. */
  readonly from: number;
  /** Those it knows, weakest first; none for models that do not reason and take sampling as they always did. */
  readonly efforts: readonly Effort[];
  /** What it does unless it is asked for an effort. While a model reasons, its sampling cannot be set. */
  readonly unasked: 'reasons' | 'rests';
  /** Reasons as it likes, and refuses to be asked. */
  readonly refusesEffort?: true;
  /**
   * Refuses function tools in chat completions, where it can be asked in responses: beside any effort but none, or already
   * where it reasons unasked.
   */
  readonly refusesChatTools?: 'beside an effort' | 'while it reasons';
}

const ordinary = ['low', 'medium', 'high'] as const;

/**
 * As of 2026-11, from https://developers.openai.com/api/docs/guides/reasoning (efforts and their defaults),
 * https://developers.openai.com/api/docs/guides/latest-model (sampling),
 * https://developers.openai.com/api/docs/models (each model's page) and, for tools in chat completions,
 * https://github.com/openai/openai-openapi/issues/541 (5.4), https://github.com/charmbracelet/crush/issues/2913 (5.5) and
 * https://github.com/BerriAI/litellm/pull/34569 (5.6, also with no effort). The first row that fits is the model's.
 */
const rows: readonly ModelRow[] = [
  {
    family: 'gpt',
    from: 506,
    efforts: ['none', ...ordinary, 'xhigh', 'max'],
    unasked: 'reasons',
    refusesChatTools: 'while it reasons',
  },
  {
    family: 'gpt',
    from: 505,
    efforts: ['none', ...ordinary, 'xhigh'],
    unasked: 'reasons',
    refusesChatTools: 'beside an effort',
  },
  {
    family: 'gpt',
    from: 504,
    efforts: ['none', ...ordinary, 'xhigh'],
    unasked: 'rests',
    refusesChatTools: 'beside an effort',
  },
  { family: 'gpt', from: 502, efforts: ['none', ...ordinary, 'xhigh'], unasked: 'rests' },
  { family: 'gpt', from: 501, efforts: ['none', ...ordinary], unasked: 'rests' },
  { family: 'gpt', from: 500, efforts: ['minimal', ...ordinary], unasked: 'reasons' },
  { family: 'gpt-chat', from: 501, efforts: ['medium'], unasked: 'reasons', refusesEffort: true },
  { family: 'gpt-chat', from: 500, efforts: [], unasked: 'rests' },
  { family: 'gpt-codex-max', from: 500, efforts: [...ordinary, 'xhigh'], unasked: 'reasons' },
  { family: 'gpt-codex', from: 506, efforts: [...ordinary, 'xhigh', 'max'], unasked: 'reasons' },
  { family: 'gpt-codex', from: 502, efforts: [...ordinary, 'xhigh'], unasked: 'reasons' },
  { family: 'gpt-codex', from: 500, efforts: ordinary, unasked: 'reasons' },
  { family: 'gpt-pro', from: 506, efforts: ['medium', 'high', 'xhigh', 'max'], unasked: 'reasons' },
  { family: 'gpt-pro', from: 502, efforts: ['medium', 'high', 'xhigh'], unasked: 'reasons' },
  { family: 'gpt-pro', from: 500, efforts: ['high'], unasked: 'reasons' },
  { family: 'o', from: 100, efforts: ordinary, unasked: 'reasons' },
];

/** The models before: none of them reasons. Azure writes 35 for 3.5. */
const olderNames = /(?:^|[/.:])(?:gpt-[34]|chatgpt-)/;
/** `o3`, `gpt-5`, `gpt-5.1-codex-max`, `gpt-5.2-2025-12-11`: major, minor, kind. */
const seriesName = /(?:^|[/.:])o([1-9])(?=-|$)/;
const numberedName = /(?:^|[/.:])gpt-(\d+)(?:\.(\d+))?(?:-(chat|codex-max|codex|pro))?(?![a-z\d.])/;

/** Bounds of OpenAI's protocols, as of 2026-11-22, from their reference: https://platform.openai.com/docs/api-reference. */
export const openaiBounds = {
  /** Of the name of who asks. */
  mostUserCharacters: 64,
  /** That an answer in responses can be held to. */
  leastOutputTokens: 16,
  /** Of one request. */
  mostStopSequences: 4,
} as const;

/** Null for models of other makers, and for OpenAI's own from before they could reason. */
function readModel(id: string): ModelRow | null {
  if (olderNames.test(id)) return null;
  const series = seriesName.exec(id);
  if (series !== null) return findRow('o', Number(series[1]) * 100);
  const numbered = numberedName.exec(id);
  if (numbered === null) return null;
  const [, major, minor = '0', kind] = numbered;
  return findRow(kind === undefined ? 'gpt' : `gpt-${kind}`, Number(major) * 100 + Number(minor));
}

const findRow = (family: string, version: number): ModelRow | null =>
  rows.find((row) => row.family === family && row.from <= version) ?? null;

/** Whether a model can be asked to reason. The catalogue may know better; of other makers' models it is assumed. */
export function doesReason({ id, reasons }: UpstreamModel): boolean {
  if (reasons !== undefined) return reasons;
  const model = readModel(id);
  return model === null ? !olderNames.test(id) : model.efforts.length > 0 && model.refusesEffort !== true;
}

/** Of OpenAI's models, which show no thoughts but summaries: what one does unless it is asked; null for all others. */
export function thinksUnasked(id: string): 'reasons' | 'rests' | 'cannot' | null {
  if (olderNames.test(id)) return 'cannot';
  const model = readModel(id);
  if (model === null) return null;
  return model.efforts.length === 0 ? 'cannot' : model.unasked;
}

/** The nearest effort that the model knows, the weaker one of two; as it was for models of other makers. */
export function fitEffort(id: string, effort: Effort): Effort {
  const known = readModel(id)?.efforts ?? [];
  if (known.length === 0 || known.includes(effort)) return effort;
  const wanted = efforts.indexOf(effort);
  const distance = (one: Effort) => Math.abs(efforts.indexOf(one) - wanted);
  return known.reduce((best, one) => (distance(one) < distance(best) ? one : best));
}

/** The effort that a model is asked for; undefined where it is left to itself. */
export function effortFor(reasoning: Reasoning | undefined, model: UpstreamModel): Effort | undefined {
  if (reasoning === undefined) return undefined;
  if (reasoning.thinking === 'off') return leastEffort(model.id);
  const effort = reasoning.effort ?? effortOfBudget(reasoning.budgetTokens);
  return effort && fitEffort(model.id, effort);
}

/**
 * Of an effort in the vendor's own protocol: what the model knows instead, null where it refuses to be asked for any, and
 * undefined where what was asked for can stand.
 */
export function effortInstead(id: string, asked: unknown): Effort | null | undefined {
  if (asked === undefined) return undefined;
  const effort = efforts.find((known) => known === asked);
  if (effort === undefined) return undefined;
  if (!doesReason({ id })) return null;
  const fitting = fitEffort(id, effort);
  return fitting === effort ? undefined : fitting;
}

/** Whether a model refuses function tools in chat completions beside an effort, or beside none where that is undefined. */
export function refusesChatTools(id: string, effort: Effort | undefined): boolean {
  const refused = readModel(id)?.refusesChatTools;
  if (refused === undefined || effort === 'none') return false;
  return effort !== undefined || refused === 'while it reasons';
}

/** What a model that reasons unasked is told that is to think no more than it must; the others rest by themselves. */
function leastEffort(id: string): Effort | undefined {
  const model = readModel(id);
  return model?.unasked === 'reasons' && model.refusesEffort !== true ? model.efforts[0] : undefined;
}

/** Whether temperature, top p and logprobs can be asked for beside an effort that the model knows, or none. */
export function takesSampling(id: string, effort: Effort | undefined): boolean {
  const model = readModel(id);
  if (model === null || model.efforts.length === 0) return true;
  return effort === undefined ? model.unasked === 'rests' : effort === 'none';
}

/** No model that can reason takes penalties, whether it does or not. */
export function takesPenalties(id: string): boolean {
  return (readModel(id)?.efforts.length ?? 0) === 0;
}

/** No model that can reason takes stop sequences. */
export function takesStopSequences(id: string): boolean {
  return takesPenalties(id);
}

/**
 * Of OpenAI's models, those from before they could be held to a schema, as of 2026-11-22, from its guide:
 * https://platform.openai.com/docs/guides/structured-outputs.
 */
const withoutSchemas = /(?:^|[/.:])(?:gpt-3|gpt-4(?:-|$)|gpt-4o-2024-05-13|chatgpt-4o|o1-(?:mini|preview))/;

/** Whether an answer can be held to a schema; of other makers' models the host decides. */
export const takesSchemas = (id: string): boolean => !withoutSchemas.test(id);

/**
 * Models that search the web for each answer, asked or not, as of 2026-11: OpenAI's search models
 * (https://platform.openai.com/docs/guides/tools-web-search), Perplexity's Sonar in chat completions, in which others
 * sell it still (https://openrouter.ai/perplexity; at Perplexity a request declares the search), and those that OpenRouter
 * puts its search in front of (https://openrouter.ai/docs/guides/routing/model-variants/online).
 */
const searchers = /-search-(?:preview|api)|(?:^|[/.:])sonar(?:-|$)|:online$/;

export const doesSearch = (id: string): boolean => searchers.test(id);

/**
 * Those of OpenAI that take `web_search_options`: its search models, also under names that they do not have yet. To search
 * unasked, and be paid for it, is taken of those alone that are known to.
 */
export const searchModels = /-search-/;

/**
 * Whether alternatives at the root of a tool's schema are refused, at whatever host: OpenAI's models do, and Anthropic's.
 * As of 2026-11: langchain-ai/langchainjs#9804, anthropics/claude-code#27337.
 */
export const refusesRootAlternatives = (id: string): boolean =>
  /claude-/.test(id) || olderNames.test(id) || readModel(id) !== null;

/** Whether the older name of the bound on the output is refused. */
export const refusesMaxTokens = (id: string): boolean => readModel(id) !== null;
