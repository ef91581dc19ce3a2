/**
 * What is true of Gemini's models, in one table: how each generation is told to think, and what it refuses.
 *
 * Read in November 2026 from Google's public documentation:
 * thinking levels and budgets: https://ai.google.dev/gemini-api/docs/thinking and
 * https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/thinking
 * signatures: https://ai.google.dev/gemini-api/docs/thought-signatures
 * media inside function responses: https://ai.google.dev/gemini-api/docs/function-calling
 * a format beside tools: https://ai.google.dev/gemini-api/docs/structured-output
 * penalties: the model pages below https://ai.google.dev/gemini-api/docs/models
 * logprobs: https://github.com/mscraftsman/generative-ai/issues/135 (2.0 tells them, 2.5 answers "Logprobs is not
 * enabled") and https://github.com/GoogleCloudPlatform/generative-ai/issues/2947 (3.5: "not supported for this model")
 */
import type { Effort } from '../turn/request.ts';

export type ThinkingLevel = Extract<Effort, 'minimal' | 'low' | 'medium' | 'high'>;

/** How a model is told how much to think; `none` where it refuses to be told. */
export type Thinking =
  | { readonly by: 'none' }
  | { readonly by: 'level'; readonly levels: readonly ThinkingLevel[] }
  | {
      readonly by: 'budget';
      /** In tokens. */
      readonly least: number;
      readonly most: number;
      readonly canBeOff: boolean;
      /** False for a model that thinks only when it is told a budget. */
      readonly thinksUnasked: boolean;
    };

export interface GeminiModel {
  readonly thinking: Thinking;
  /** The model takes presence and frequency penalties. */
  readonly penalties: boolean;
  /** The model refuses the first function call of a step when the call has no signature. */
  readonly demandsSignatures: boolean;
  /** The model takes images and documents inside the response of a function. */
  readonly mediaInResponses: boolean;
  /** The model takes a format for its answer beside tools. */
  readonly formatBesideTools: boolean;
  /** What Google charges where the model searches: the prompt that was searched for, or each query. */
  readonly searchesBy: 'prompt' | 'query';
  /** The model tells the likelihood of its tokens at Google AI; at Vertex those of 2.5 do too. */
  readonly logprobs: boolean;
}

interface Generation extends GeminiModel {
  readonly kind: Kind;
  /** The first version, major and minor, that the row holds for; it ends where a newer row of its kind begins. */
  readonly since: readonly [number, number];
}

type Kind = 'pro' | 'flash' | 'flash-lite';

const untold: Thinking = { by: 'none' };
const first: Omit<GeminiModel, 'thinking'> = {
  penalties: true,
  demandsSignatures: false,
  mediaInResponses: false,
  formatBesideTools: false,
  searchesBy: 'prompt',
  logprobs: true,
};
const second = { ...first, penalties: false, logprobs: false };
const third = {
  ...second,
  demandsSignatures: true,
  mediaInResponses: true,
  formatBesideTools: true,
  searchesBy: 'query',
} as const;

const byLevel = (...levels: readonly ThinkingLevel[]): Thinking => ({ by: 'level', levels });
type Budget = Extract<Thinking, { by: 'budget' }>;
const within = (
  least: number,
  most: number,
  but: Partial<Pick<Budget, 'canBeOff' | 'thinksUnasked'>> = {},
): Budget => ({ by: 'budget', least, most, canBeOff: true, thinksUnasked: true, ...but });

/** The newest come first. */
const generations: readonly Generation[] = [
  { kind: 'pro', since: [3, 1], thinking: byLevel('low', 'medium', 'high'), ...third },
  { kind: 'pro', since: [3, 0], thinking: byLevel('low', 'high'), ...third },
  { kind: 'pro', since: [2, 5], thinking: within(128, 32_768, { canBeOff: false }), ...second },
  { kind: 'pro', since: [0, 1], thinking: untold, ...first },
  { kind: 'flash', since: [3, 7], thinking: byLevel('low', 'medium', 'high'), ...third },
  { kind: 'flash', since: [3, 0], thinking: byLevel('minimal', 'low', 'medium', 'high'), ...third },
  { kind: 'flash', since: [2, 5], thinking: within(1, 24_576), ...second },
  { kind: 'flash', since: [0, 1], thinking: untold, ...first },
  { kind: 'flash-lite', since: [3, 0], thinking: byLevel('minimal', 'low', 'medium', 'high'), ...third },
  { kind: 'flash-lite', since: [2, 5], thinking: within(512, 24_576, { thinksUnasked: false }), ...second },
  { kind: 'flash-lite', since: [0, 1], thinking: untold, ...first },
];

/** `gemini-pro-latest` is the newest model of the day. All of them understand the budgets of the second generation. */
const latest: Readonly<Record<Kind, GeminiModel>> = {
  pro: { thinking: within(128, 32_768, { canBeOff: false }), ...third },
  flash: { thinking: within(1, 24_576), ...third },
  'flash-lite': { thinking: within(512, 24_576, { thinksUnasked: false }), ...third },
};

/** Of a model that is not Gemini's nothing is known, so that it is spared whatever may be refused. */
const unknown: GeminiModel = { thinking: untold, ...second, searchesBy: 'query' };

/** `gemini-2.5-flash-lite`, `models/gemini-3.1-pro-preview`, `gemini-3-flash-preview-11-2025`. */
const names = /gemini-(?:(\d{1,2})(?:\.(\d{1,2}))?-)?(pro|flash-lite|flash)/;
/** Models that paint or speak cannot be told how to think. */
const artists = /-(?:image|tts)(?:-|$)/;

export function readGeminiModel(id: string): GeminiModel {
  const model = findModel(id);
  return artists.test(id) ? { ...model, thinking: untold } : model;
}

function findModel(id: string): GeminiModel {
  const [, major, minor = '0', kind] = names.exec(id) ?? [];
  if (kind !== 'pro' && kind !== 'flash' && kind !== 'flash-lite') return unknown;
  if (major === undefined) return latest[kind];
  const version = rank([Number(major), Number(minor)]);
  return generations.find((row) => row.kind === kind && rank(row.since) <= version) ?? unknown;
}

const rank = ([major, minor]: Generation['since']): number => major * 100 + minor;

/** `models/gemini-2.5-flash`; what names its collection itself, as tuned models do, stays as it is. */
export function modelName(model: string): string {
  return model.includes('/') ? model : `models/${model}`;
}
