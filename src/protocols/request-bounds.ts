/**
 * What a request may come to, by the words of each client protocol: how long its answer may get, read from it and lowered
 * in it, where everything else of it keeps its bytes; and what tools that the vendor runs may add to it meanwhile.
 */
import { asCount, asObject, asText, isJsonObject, type JsonObject, tryParseJson } from './json/fields.ts';
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

/**
 * What tools that the vendor runs may add to a request while it is answered: their uses, and what they find, which the
 * model reads as input. Where the request itself bounds their uses that holds, else the ceilings of the table below do:
 * vendors publish none, so that these are far above what one answer was seen to use. By the meters that price them.
 *
 * Read in November 2026:
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool (`max_uses`),
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-fetch-tool (`max_content_tokens`; a page of 100 kB
 * is 25,000 tokens), https://platform.openai.com/docs/guides/tools-file-search (20 chunks of 800 tokens),
 * https://platform.openai.com/docs/api-reference/responses/create (`max_tool_calls`)
 */
export interface HostedUse {
  /** Tools, each of which brings instructions that nobody outside sees. */
  readonly tools: number;
  /** Steps in which the model reads everything again, and what was found before. */
  readonly steps: number;
  readonly tokensPerStep: number;
  readonly web_search: number;
  readonly file_search: number;
  readonly container: number;
  readonly image: number;
}

interface HostedTool {
  readonly types: RegExp;
  readonly meter: 'web_search' | 'file_search' | 'container' | 'image' | null;
  /** What one use brings. */
  readonly tokens: number;
}

const hostedTools: readonly HostedTool[] = [
  { types: /^(web_search|x_search|google_?search)/i, meter: 'web_search', tokens: 16_000 },
  { types: /^(file_?search|collections_search)/i, meter: 'file_search', tokens: 16_000 },
  { types: /^(code_?interpreter|code_?execution|shell$)/i, meter: 'container', tokens: 8000 },
  { types: /^image_generation/, meter: 'image', tokens: 2000 },
  { types: /^(web_fetch|url_?context)/i, meter: null, tokens: 25_000 },
  { types: /^mcp/i, meter: null, tokens: 16_000 },
  // It finds tools that the request declares.
  { types: /^tool_search/, meter: null, tokens: 4000 },
];

/** Of one tool, where the request does not say. */
const mostUses = 10;

/** Null for nearly all requests. */
export function mostHostedUse(protocol: string, json: JsonObject): HostedUse | null {
  const tools = Array.isArray(json['tools']) ? json['tools'] : noTools;
  let use: HostedUse | null = null;
  for (const declared of tools) {
    if (!isJsonObject(declared) || isOwn(declared, protocol)) continue;
    for (const name of protocol === 'google' ? Object.keys(declared) : [asText(declared['type']) ?? '']) {
      const hosted = hostedTools.find(({ types }) => types.test(name));
      if (hosted !== undefined) use = withTool(use, hosted, declared);
    }
  }
  if (json['web_search_options'] != null) use = withTool(use, webSearch, json);
  const mostCalls = asCount(json['max_tool_calls']);
  if (use === null || mostCalls === undefined || mostCalls >= use.steps) return use;
  const atMost = (uses: number) => Math.min(uses, mostCalls);
  return {
    ...use,
    steps: mostCalls,
    web_search: atMost(use.web_search),
    file_search: atMost(use.file_search),
    container: atMost(use.container),
    image: atMost(use.image),
  };
}

const noTools: readonly unknown[] = [];
const webSearch: HostedTool = { types: /^/, meter: 'web_search', tokens: 16_000 };

/** At a glance, since agents declare a hundred of them. */
function isOwn(declared: JsonObject, protocol: string): boolean {
  if (protocol === 'google') {
    return declared['functionDeclarations'] != null && Object.keys(declared).length === 1;
  }
  const { type } = declared;
  return type === undefined || type === 'function' || type === 'custom';
}

const nothing: HostedUse = {
  tools: 0,
  steps: 0,
  tokensPerStep: 0,
  web_search: 0,
  file_search: 0,
  container: 0,
  image: 0,
};

function withTool(before: HostedUse | null, { meter, tokens }: HostedTool, declared: JsonObject): HostedUse {
  const uses = asCount(declared['max_uses']) ?? mostUses;
  const use = before ?? nothing;
  const found = asCount(declared['max_content_tokens']) ?? tokens;
  return {
    ...use,
    tools: use.tools + 1,
    steps: use.steps + uses,
    tokensPerStep: Math.max(use.tokensPerStep, found),
    ...(meter === null ? undefined : { [meter]: use[meter] + uses }),
  };
}
