/**
 * How long the answers to a request may get, by the words of each client protocol: read from it, and lowered in it, where
 * everything else of it keeps its bytes.
 */
import { asCount, asObject, type JsonObject, tryParseJson } from './json/fields.ts';
import { editMembers, type MemberEdit } from './json/text.ts';
import type { InferenceRequest } from './translator.ts';

/** More answers to one request than any provider gives. */
const mostChoices = 128;

interface Words {
  /** Where an answer's bound stands; of several the largest counts. */
  readonly bounds: readonly string[];
  readonly choices?: readonly string[];
  /** What is written where there is none; absent where upstreams may refuse it. */
  readonly added?: string;
}

/**
 * By client protocol: a word of another one bounds nothing, since no conversion passes it on. Of the two words of chat
 * completions the older one is added, which is written as the newer one for the models and hosts that want that. What
 * stands behind the native endpoint refuses a bound, so none is added.
 */
const wordsOf: Readonly<Record<string, Words>> = {
  'chat-completions': {
    bounds: ['max_completion_tokens', 'max_tokens'],
    choices: ['n'],
    added: 'max_tokens',
  },
  messages: { bounds: ['max_tokens'], added: 'max_tokens' },
  responses: { bounds: ['max_output_tokens'], added: 'max_output_tokens' },
  native: { bounds: ['max_output_tokens'] },
  google: {
    bounds: ['maxOutputTokens', 'max_output_tokens'],
    choices: ['candidateCount', 'candidate_count'],
    added: 'maxOutputTokens',
  },
};

export interface OutputBounds {
  /** Of one answer, with what is thought beside it; null for an answer without a bound of its own. */
  readonly outputTokens: number | null;
  readonly choices: number;
}

/**
 * In whole tokens and answers, whatever the request says: not every number of it has been checked, and an upstream may
 * round what it gets.
 * @param protocol the name of the one that the request is written in.
 */
export function readBounds(protocol: string, json: JsonObject): OutputBounds {
  const { bounds = [], choices = [] } = wordsOf[protocol] ?? {};
  const settings =
    protocol === 'google' ? asObject(json['generationConfig'] ?? json['generation_config']) : json;
  let most: number | null = null;
  for (const word of bounds) {
    const told = settings?.[word];
    if (typeof told === 'number' && told >= 0 && (most === null || told > most)) most = told;
  }
  let asked = 1;
  for (const word of choices) {
    const told = settings?.[word];
    if (typeof told === 'number' && told > asked) asked = told;
  }
  return {
    outputTokens: most === null ? null : Math.ceil(most) + (asCount(json['thinking_budget']) ?? 0),
    choices: Math.min(Math.ceil(asked), mostChoices),
  };
}

/**
 * The same request with answers of at most so many tokens each, thoughts included.
 * @param capTokens at least 16, which is the least that every upstream takes.
 * @returns null where the request has no bound, and its upstream would refuse one.
 */
export function withOutputCap(
  protocol: string,
  request: InferenceRequest,
  capTokens: number,
): InferenceRequest | null {
  if (protocol === 'google') return withGoogleCap(request, capTokens);
  const { text, json } = request;
  const { bounds = [], added } = wordsOf[protocol] ?? {};
  const changed: Record<string, unknown> = {};
  const beside = asCount(json['thinking_budget']);
  // Some hosts think beside the bound and not within it.
  if (beside !== undefined) changed['thinking_budget'] = Math.min(beside, Math.floor(capTokens / 2));
  const ownTokens = capTokens - (asCount(changed['thinking_budget']) ?? 0);
  const told = bounds.filter((word) => asCount(json[word]) !== undefined);
  for (const word of told) changed[word] = Math.min(Number(json[word]), ownTokens);
  if (told.length === 0) {
    if (added === undefined) return null;
    changed[added] = ownTokens;
  }
  const thinking = asObject(json['thinking']);
  if ((asCount(thinking?.['budget_tokens']) ?? 0) >= ownTokens) {
    changed['thinking'] = lessThinking(thinking, ownTokens);
  }
  const reasoning = asObject(json['reasoning']);
  if ((asCount(reasoning?.['max_tokens']) ?? 0) >= ownTokens) {
    changed['reasoning'] = lessReasoning(reasoning, ownTokens);
  }
  const edits = new Map(Object.entries(changed).map(([name, value]) => [name, JSON.stringify(value)]));
  return { ...request, text: editMembers(text, edits, json), json: { ...json, ...changed } };
}

/** Upstreams refuse a smaller budget, and one that leaves nothing of the bound to the answer. */
const leastBudgetTokens = 1024;

const halfOf = (tokens: number): number => Math.floor(tokens / 2);

function lessThinking(thinking: JsonObject | undefined, capTokens: number): JsonObject {
  const budget_tokens = halfOf(capTokens);
  return budget_tokens < leastBudgetTokens ? { type: 'disabled' } : { ...thinking, budget_tokens };
}

function lessReasoning(reasoning: JsonObject | undefined, capTokens: number): JsonObject {
  const max_tokens = halfOf(capTokens);
  return max_tokens < leastBudgetTokens ? { effort: 'low' } : { ...reasoning, max_tokens };
}

/** Gemini's least budget for models that cannot do without. */
const leastGeminiBudget = 128;

/** Google's fields have two spellings; of a member that is there the one that was chosen stays. */
function withGoogleCap(request: InferenceRequest, capTokens: number): InferenceRequest {
  const { text, json } = request;
  const config = asObject(json['generationConfig'] ?? json['generation_config']) ?? {};
  const capped = cappedConfig(config, capTokens);
  let isThere = false;
  const edit: MemberEdit = (own) => {
    const spelt = asObject(tryParseJson(own));
    // A null is as good as nothing.
    isThere = true;
    return spelt === undefined ? JSON.stringify(capped) : JSON.stringify(cappedConfig(spelt, capTokens));
  };
  const edited = editMembers(text, new Map([...configNames].map((name) => [name, edit])));
  return {
    ...request,
    text: isThere ? edited : editMembers(text, new Map([[configNames[0], JSON.stringify(capped)]])),
    json: { ...json, generationConfig: capped },
  };
}

const configNames = ['generationConfig', 'generation_config'] as const;

function cappedConfig(config: JsonObject, capTokens: number): JsonObject {
  const { bounds = [], added = '' } = wordsOf['google'] ?? {};
  const changed: Record<string, unknown> = {};
  const told = bounds.filter((word) => asCount(config[word]) !== undefined);
  for (const word of told) changed[word] = Math.min(Number(config[word]), capTokens);
  if (told.length === 0) changed[added] = capTokens;
  for (const [name, budget] of [
    ['thinkingConfig', 'thinkingBudget'],
    ['thinking_config', 'thinking_budget'],
  ] as const) {
    const thinking = asObject(config[name]);
    if (thinking === undefined) continue;
    const word = asCount(thinking[budget]) === undefined ? 'thinking_budget' : budget;
    if ((asCount(thinking[word]) ?? 0) < capTokens) continue;
    changed[name] = { ...thinking, [word]: Math.max(leastGeminiBudget, halfOf(capTokens)) };
  }
  return { ...config, ...changed };
}
