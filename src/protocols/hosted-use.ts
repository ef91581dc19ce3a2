/**
 * What tools that the vendor runs may add to a request while it is answered: their uses, and what they find, which the
 * model reads as input. Where the request itself bounds their uses, and is sent on as it came, that holds; else the
 * ceilings of the table below do: vendors publish none, so that these are far above what one answer was seen to use.
 *
 * Read in November 2026:
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool (`max_uses`),
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-fetch-tool (`max_content_tokens`; a page of 100 kB
 * is 25,000 tokens), https://platform.openai.com/docs/guides/tools-file-search (20 chunks of 800 tokens),
 * https://platform.openai.com/docs/api-reference/responses/create (`max_tool_calls`)
 */
import { declaredTools } from './declared-tools.ts';
import { asCount, asText, isJsonObject, type JsonObject } from './json/fields.ts';

/** By the meters that price them. */
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
  /** Anthropic takes a bound of its uses, and refuses one of any other tool. */
  readonly hasBounds?: true;
}

const hostedTools: readonly HostedTool[] = [
  { types: /^(web_search|x_search|google_?search)/i, meter: 'web_search', tokens: 16_000, hasBounds: true },
  { types: /^(file_?search|collections_search)/i, meter: 'file_search', tokens: 16_000 },
  { types: /^(code_?interpreter|code_?execution|shell$)/i, meter: 'container', tokens: 8000 },
  { types: /^image_generation/, meter: 'image', tokens: 2000 },
  { types: /^(web_fetch|url_?context)/i, meter: null, tokens: 25_000, hasBounds: true },
  { types: /^mcp/i, meter: null, tokens: 16_000 },
  // It finds tools that the request declares.
  { types: /^tool_search/, meter: null, tokens: 4000 },
];

/** Of one tool, where the request does not say. */
const mostUses = 10;

/**
 * @param protocol the name of the one that the request is written in. A word of another one bounds nothing.
 * @param isPassed whoever may serve it is sent it as it came, while no conversion is sure to write its bounds.
 * @returns null for nearly all requests.
 */
export function mostHostedUse(protocol: string, json: JsonObject, isPassed: boolean): HostedUse | null {
  let use: HostedUse | null = null;
  for (const declared of declaredTools(json)) {
    if (!isJsonObject(declared) || isOwn(declared, protocol)) continue;
    for (const name of protocol === 'google' ? Object.keys(declared) : [asText(declared['type']) ?? '']) {
      const hosted = hostedTools.find(({ types }) => types.test(name));
      if (hosted === undefined) continue;
      const isBounded = isPassed && protocol === 'messages' && hosted.hasBounds === true;
      use = withTool(use, hosted, isBounded ? declared : unbounded);
    }
  }
  if (json['web_search_options'] != null) use = withTool(use, webSearch, unbounded);
  const hasMostCalls = isPassed && (protocol === 'responses' || protocol === 'native');
  const mostCalls = hasMostCalls ? asCount(json['max_tool_calls']) : undefined;
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

const unbounded: JsonObject = {};
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
