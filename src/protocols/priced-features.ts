/**
 * What a request asks for that costs more than its tokens, by the words of each client protocol: the vendor's own tools,
 * dearer ways to be served, sound and images in the answer. Each names the meters that price it; what the provider's
 * answer then says of it is read in the `outcome.ts` of the upstream's protocol.
 *
 * Tools are sorted by what is known to cost nothing, so that one that a vendor invents tomorrow is not given away.
 *
 * Read in November 2026:
 * https://platform.openai.com/docs/pricing, https://platform.openai.com/docs/guides/tools
 * https://platform.claude.com/docs/en/about-claude/pricing, https://platform.claude.com/docs/en/agents-and-tools/tool-use
 * https://ai.google.dev/gemini-api/docs/pricing
 */
import { declaredTools } from './declared-tools.ts';
import { asObject, asText, asTexts, isJsonObject, type JsonObject } from './json/fields.ts';

export interface PricedFeature {
  /** As the request spells it. */
  readonly name: string;
  /** The top-level member that holds it. */
  readonly member: string;
  /** Those that must have a price; null for what no meter here counts. */
  readonly meters: readonly string[] | null;
  /** What to do without a price: a tool goes if others stay, a setting goes, what was asked for outright does not. */
  readonly without: 'leave out' | 'leave out beside others' | 'refuse';
}

/** None for nearly all requests. */
export function pricedFeaturesOf(client: string, json: JsonObject): readonly PricedFeature[] {
  const tools = declaredTools(json);
  const ofMembers = settingFeatures[client]?.(json) ?? none;
  if (tools.length === 0) return ofMembers;
  const ofTools = tools.flatMap((declared) =>
    isJsonObject(declared) ? (toolFeatures[client]?.(declared) ?? none) : none,
  );
  return joined(ofTools, ofMembers);
}

/** None where each has none, as is usual, so that most requests make no list. */
function joined(...lists: readonly (readonly PricedFeature[])[]): readonly PricedFeature[] {
  return lists.some(({ length }) => length > 0) ? lists.flat() : none;
}

/** Whether the vendor may run tools of its own, of which the answer then tells in its middle; a stored prompt can bring some. */
export function declaresHosted(json: JsonObject): boolean {
  if (json['prompt'] != null) return true;
  return declaredTools(json).some((tool) => isJsonObject(tool) && !ownTools.has(tool['type']));
}

/** What is in a group is declared by itself. */
const ownTools: ReadonlySet<unknown> = new Set([undefined, 'function', 'custom', 'namespace']);
const none: readonly PricedFeature[] = [];

const tool = (name: string, meter: string | null): readonly PricedFeature[] => [
  {
    name: name.slice(0, 100),
    member: 'tools',
    meters: meter === null ? null : [meter],
    without: 'leave out beside others',
  },
];

type Read = (json: JsonObject) => readonly PricedFeature[];

/** Tools of OpenAI that run where the caller is, or cost their tokens and nothing else. */
const freeOpenaiTools =
  /^(function|custom|namespace|tool_search|local_shell|apply_patch|mcp|computer|computer_use|computer_use_preview)$/;
const openaiTools: readonly (readonly [RegExp, string])[] = [
  [/^(web_search|web_search_preview|x_search)(_\d{4}_\d\d_\d\d)?$/, 'web_search'],
  [/^(file_search|collections_search)$/, 'file_search'],
  [/^(code_interpreter|code_execution)$/, 'container'],
  [/^image_generation$/, 'image'],
];

function openaiTool(declared: JsonObject): readonly PricedFeature[] {
  const type = asText(declared['type']);
  if (type === undefined || freeOpenaiTools.test(type)) return none;
  if (type === 'shell') {
    const place = asText(asObject(declared['environment'])?.['type']) ?? 'local';
    return place === 'local' ? none : tool(type, 'container');
  }
  return tool(type, openaiTools.find(([types]) => types.test(type))?.[1] ?? null);
}

/** In chat completions no answer tells how often a tool of the host was used, but for searches of the web. */
function chatTool(declared: JsonObject): readonly PricedFeature[] {
  const type = asText(declared['type']);
  if (type === undefined || type === 'function' || type === 'custom') return none;
  const meter = openaiTools.find(([types]) => types.test(type))?.[1];
  return tool(type, meter === 'web_search' ? meter : null);
}

/** Those that the caller runs, and those of Anthropic's own that cost their tokens and nothing else. */
const freeMessagesTools =
  /^(custom|(bash|text_editor|computer|memory|web_fetch)_\d{8}|tool_search_tool_\w+|mcp_toolset)$/;
const messagesTools: readonly (readonly [RegExp, string])[] = [
  [/^web_search_\d{8}$/, 'web_search'],
  [/^code_execution_\d{8}$/, 'container'],
];

function messagesTool(declared: JsonObject): readonly PricedFeature[] {
  const type = asText(declared['type']);
  if (type === undefined || freeMessagesTools.test(type)) return none;
  return tool(type, messagesTools.find(([types]) => types.test(type))?.[1] ?? null);
}

const freeGoogleTools: ReadonlySet<string> = new Set([
  ...['functionDeclarations', 'codeExecution', 'urlContext', 'computerUse', 'fileSearch', 'mcpServers'],
]);
const googleTools: Readonly<Record<string, string>> = {
  googleSearch: 'web_search',
  googleSearchRetrieval: 'web_search',
};

const googleTool: Read = (declared) =>
  Object.keys(declared).flatMap((name) =>
    declared[name] == null || freeGoogleTools.has(name) ? none : tool(name, googleTools[name] ?? null),
  );

const toolFeatures: Readonly<Record<string, Read>> = {
  'chat-completions': chatTool,
  responses: openaiTool,
  messages: messagesTool,
  google: googleTool,
};

/** Those that cost what a request usually does, or less. */
const usualTiers: ReadonlySet<unknown> = new Set([
  ...['auto', 'default', 'standard', 'standard_only', 'on_demand', 'flex', 'batch', ''],
]);

function tierFeature(json: JsonObject, member: string): readonly PricedFeature[] {
  const asked = json[member];
  const tier = typeof asked === 'string' ? asked.toLowerCase() : asked;
  if (tier == null || usualTiers.has(tier)) return none;
  // OpenAI calls priority fast since 2026.
  const priced = tier === 'fast' ? 'priority' : tier;
  const isKnown = priced === 'priority' || priced === 'ultrafast';
  const meters = isKnown ? [`input_${priced}`, `output_${priced}`] : null;
  return [{ name: `${member}: ${String(asked).slice(0, 40)}`, member, meters, without: 'leave out' }];
}

function outputFeature(modalities: unknown, member: string): readonly PricedFeature[] {
  if (modalities == null) return none;
  return asTexts(modalities).flatMap((modality) => {
    const kind = modality.toLowerCase();
    if (kind !== 'audio' && kind !== 'image') return none;
    return [{ name: `${kind} output`, member, meters: [`${kind}_output`], without: 'refuse' as const }];
  });
}

function searchFeature({ web_search_options: options }: JsonObject): readonly PricedFeature[] {
  if (options == null) return none;
  const member = 'web_search_options';
  return [{ name: member, member, meters: ['web_search'], without: 'refuse' }];
}

/** Fast answers, and answers that are made in one country, which a caller may rely on. */
function messagesSettings(json: JsonObject): readonly PricedFeature[] {
  const { speed, inference_geo: place } = json;
  const isPlaced = place != null && place !== 'global';
  const isFast = speed != null && speed !== 'standard';
  const geo = place === 'us' ? '_us' : '';
  const fast = speed === 'fast' ? [`input${geo}_fast`, `output${geo}_fast`] : null;
  return [
    ...tierFeature(json, 'service_tier'),
    ...(isFast
      ? [
          {
            name: `speed: ${String(speed).slice(0, 40)}`,
            member: 'speed',
            meters: fast,
            without: 'leave out' as const,
          },
        ]
      : none),
    ...(isPlaced
      ? [
          {
            name: `inference_geo: ${String(place).slice(0, 40)}`,
            member: 'inference_geo',
            meters: place === 'us' ? ['input_us', 'output_us'] : null,
            without: 'refuse' as const,
          },
        ]
      : none),
  ];
}

const settingFeatures: Readonly<Record<string, Read>> = {
  'chat-completions': (json) =>
    joined(
      tierFeature(json, 'service_tier'),
      outputFeature(json['modalities'], 'modalities'),
      searchFeature(json),
    ),
  responses: (json) => tierFeature(json, 'service_tier'),
  messages: messagesSettings,
  google: (json) =>
    joined(
      tierFeature(json, 'serviceTier'),
      outputFeature(asObject(json['generationConfig'])?.['responseModalities'], 'generationConfig'),
    ),
};
