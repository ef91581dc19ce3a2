/** In what the hosts that speak chat completions differ when they are written to; a provider states its own as data. */
import type { JsonObject } from '../json/fields.ts';
import type { Effort } from '../turn/request.ts';
import { refusesMaxTokens, searchModels } from './models.ts';

export type MaxTokensField = 'max_completion_tokens' | 'max_tokens';

export interface ChatDialect {
  /** The names of the bound on the output that the host knows; the first is the one that is written. */
  readonly maxTokensFields: readonly [MaxTokensField, ...MaxTokensField[]];
  /** Takes `cache_control` on content parts. */
  readonly cacheMarks: boolean;
  /** Takes parts where there is nothing but text; others get one string. */
  readonly textParts: boolean;
  /** How thinking goes back in assistant messages. `content`: as a part of the content, as Mistral shows it. */
  readonly replay: 'fields' | 'reasoning_content' | 'reasoning' | 'reasoning_details' | 'content' | 'none';
  /** Stands for thinking that is not there beside tool calls, for hosts that refuse the message without. */
  readonly emptyThinking?: string;
  /** Knows the role `developer`; others get `system`. */
  readonly developerRole: boolean;
  /** `always`: streams tell their usage unasked, and the host may refuse to be asked. */
  readonly streamUsage: 'asked' | 'always';
  readonly topK: boolean;
  readonly seedField: 'seed' | 'random_seed' | null;
  readonly penalties: boolean;
  readonly logprobs: boolean;
  readonly severalChoices: boolean;
  readonly user: boolean;
  readonly parallelToolCalls: boolean;
  /** Takes the signature of a call in the call, as Google's own host of this protocol wants it back. */
  readonly callSignatures?: true;
  /** Answers in a shape that official clients do not take (`official-shape.ts`). */
  readonly ownShape?: true;
  /** Refuses ids of tool calls but of nine letters and digits. */
  readonly shortToolIds?: true;
  /** Takes `strict` on a tool. */
  readonly strictTools: boolean;
  /** Takes tools whose input is free text. */
  readonly customTools: boolean;
  /** The models that take `web_search_options`; none where it is absent. */
  readonly webSearch?: RegExp;
  /** Beside `auto`. */
  readonly toolChoices: readonly ('none' | 'required' | 'tool' | 'allowed')[];
  readonly jsonSchema: boolean;
  /** Fetches images itself; others take them as bytes. */
  readonly imageUrls: boolean;
  /** Of the fields that only OpenAI has, those that the host knows too. */
  readonly vendorFields: readonly string[];
  readonly reasoning: ReasoningDialect;
  /** For models that are asked to reason in another way; the first that fits. */
  readonly reasoningByModel?: readonly { readonly models: RegExp; readonly reasoning: ReasoningDialect }[];
  /** Models of other makers than OpenAI whose sampling cannot be set. */
  readonly fixedSampling?: RegExp;
  /** Models that take neither penalties nor stop sequences. */
  readonly plainModels?: RegExp;
  /** Fields of every request that is converted. */
  readonly extra?: JsonObject;
}

/** OpenAI's own fields, by the name that they have there. */
export const vendorFieldNames = [
  'service_tier',
  'store',
  'metadata',
  'verbosity',
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
] as const;

/** OpenAI itself. */
export const openaiDialect: ChatDialect = {
  maxTokensFields: ['max_completion_tokens', 'max_tokens'],
  cacheMarks: false,
  textParts: true,
  replay: 'fields',
  developerRole: true,
  streamUsage: 'asked',
  topK: false,
  seedField: 'seed',
  penalties: true,
  logprobs: true,
  severalChoices: true,
  user: true,
  parallelToolCalls: true,
  strictTools: true,
  customTools: true,
  webSearch: searchModels,
  toolChoices: ['none', 'required', 'tool', 'allowed'],
  jsonSchema: true,
  imageUrls: true,
  vendorFields: vendorFieldNames,
  reasoning: {
    style: 'effort',
    words: {
      none: 'none',
      minimal: 'minimal',
      low: 'low',
      medium: 'medium',
      high: 'high',
      xhigh: 'xhigh',
      max: 'max',
    },
  },
};

/** What hosts of many makers' models have in common. */
export const hostDialect: ChatDialect = {
  ...openaiDialect,
  maxTokensFields: ['max_tokens'],
  textParts: false,
  replay: 'none',
  developerRole: false,
  customTools: false,
  toolChoices: ['none', 'required', 'tool'],
  vendorFields: [],
  reasoning: {
    style: 'effort',
    words: { minimal: 'low', low: 'low', medium: 'medium', high: 'high', xhigh: 'high', max: 'high' },
  },
};

/** Hosts of which nothing is known but that they speak like OpenAI: they get what all take, and OpenAI's models their own. */
export const compatibleDialect: ChatDialect = {
  ...hostDialect,
  maxTokensFields: ['max_tokens', 'max_completion_tokens'],
  replay: 'fields',
  callSignatures: true,
  reasoningByModel: [{ models: /(?:^|[/.:])(?:gpt-\d|o[1-9](?=-|$))/, reasoning: openaiDialect.reasoning }],
};

/** The names of the bound on the output that are understood; the first is to be written. All newer models refuse the old one. */
export function maxTokensFields(id: string, dialect: ChatDialect): ChatDialect['maxTokensFields'] {
  return refusesMaxTokens(id) ? newerFields : dialect.maxTokensFields;
}

const newerFields: readonly [MaxTokensField] = ['max_completion_tokens'];

/** What a host calls each effort; one that is not there is left out. */
export type EffortWords = Readonly<Partial<Record<Effort, string>>>;

/** How the host is asked to think more, less or not at all. */
export type ReasoningDialect =
  | { readonly style: 'none' }
  /** `reasoning_effort`; `off` is the word for no thinking, where every model that reasons knows one. */
  | { readonly style: 'effort'; readonly words: EffortWords; readonly off?: string }
  /** `thinking: {type}`, with `reasoning_effort` beside it where there are words. */
  | {
      readonly style: 'thinking';
      readonly on: 'enabled' | 'adaptive';
      readonly canStop: boolean;
      readonly words?: EffortWords;
    }
  /** `enable_thinking` and `thinking_budget`. */
  | { readonly style: 'enable_thinking' }
  /** `reasoning: {enabled}`, with the effort as `reasoning_effort` beside it. */
  | { readonly style: 'enabled'; readonly words: EffortWords }
  /** `reasoning: {effort | max_tokens | enabled}`. */
  | { readonly style: 'object'; readonly words: EffortWords };
