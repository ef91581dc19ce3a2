/**
 * What each declared loss makes of a request. A converted request must be exactly what the losses of its pair leave of
 * the recorded one; a loss excuses its own fields in its own manner, and nothing else.
 */
import { isJsonObject } from '../../src/protocols/json/fields.ts';
import { closeSchema } from '../../src/protocols/turn/closed-schema.ts';
import { isStrictSchema } from '../../src/protocols/turn/schema.ts';
import type { Asked, AskedFormat, AskedTool } from './asked/asked.ts';
import { blockExcuses } from './excuse-blocks.ts';
import { reasoningInOtherWords } from './excuse-reasoning.ts';
import type { Excuses, Pair } from './pair.ts';

const isSearch = ({ kind }: AskedTool): boolean => /^(?:web_search|googleSearch$)/.test(String(kind));

/** Where nothing is known of the upstream's model. */
const usualBound = 8192;

/** In the order in which they apply. Losses that leave nothing to see in what is compared, such as cache marks, have no entry. */
const excuses: Excuses = {
  ...blockExcuses,
  'some of the tools': (asked) => {
    const choice = asked.toolChoice;
    if (typeof choice === 'string' || choice.names.length < 2) return asked;
    const tools = asked.tools.filter(({ name }) => choice.names.includes(String(name)));
    return { ...asked, tools, toolChoice: choice.required ? 'required' : 'auto' };
  },
  'tool choice without tools': (asked) =>
    asked.tools.length > 0 ? asked : { ...asked, toolChoice: 'auto', parallel: true },
  'one tool at a time': (asked) => ({ ...asked, parallel: true }),
  'parallel use without a choice': (asked) =>
    asked.toolChoice === 'none' ? { ...asked, parallel: true } : asked,
  'open schemas': (asked) => ({
    ...asked,
    tools: asked.tools.map((tool) =>
      tool.strict === true ? { ...tool, schema: closed(tool.schema) } : tool,
    ),
    format: asked.format === undefined ? undefined : { ...asked.format, schema: closed(asked.format.schema) },
  }),
  // A search of the web is the one tool that more than its own vendor has, and Google's takes nothing with it.
  'vendor tools': (asked, { found }) => ({
    ...asked,
    tools: asked.tools.map((tool, at) => {
      const other = found.tools[at];
      if (!isSearch(tool) || other === undefined || !isSearch(other)) return tool;
      return other.kind === 'googleSearch' ? other : { ...tool, kind: other.kind };
    }),
  }),
  'name and strictness of a schema': (asked, { to, found }) => {
    const { format } = asked;
    // Older models take no format beside tools, and are told of it in words.
    if (
      to.vendor === 'google' &&
      format !== undefined &&
      asked.tools.length > 0 &&
      found.format === undefined
    ) {
      return { ...asked, format: undefined, system: [...asked.system, toldFormat(format)] };
    }
    if (to.vendor !== 'openai') {
      return format?.schema === undefined
        ? asked
        : { ...asked, format: { ...format, name: undefined, description: undefined, strict: true } };
    }
    const tools = asked.tools.map((tool) =>
      tool.strict === true ? { ...tool, strict: canBeStrict(tool.schema) } : tool,
    );
    if (format?.schema === undefined) return { ...asked, tools };
    const strict = format.strict === true && canBeStrict(format.schema);
    return { ...asked, tools, format: { ...format, name: format.name ?? 'answer', strict } };
  },
  'strictness of tools that nobody set': (asked) => ({
    ...asked,
    tools: asked.tools.map((tool) =>
      tool.kind === 'function' ? { ...tool, strict: tool.strict ?? false } : tool,
    ),
  }),
  // One mode for all of them, which is also the mode of a choice: on when one must be strict and the choice is free.
  'strictness of tools': (asked) => {
    const isOn = asked.toolChoice === 'auto' && asked.tools.some(({ strict }) => strict === true);
    return { ...asked, tools: asked.tools.map((tool) => ({ ...tool, strict: isOn ? true : undefined })) };
  },
  'JSON without a schema': (asked) =>
    asked.format?.schema === undefined ? { ...asked, format: undefined } : asked,
  'reasoning in other words': reasoningInOtherWords,
  'sampling while thinking': (asked, { found }) =>
    found.reasoning.isOn === true
      ? { ...asked, temperature: undefined, topP: undefined, topK: undefined }
      : asked,
  'temperature above one': (asked) =>
    typeof asked.temperature === 'number' && asked.temperature > 1 ? { ...asked, temperature: 1 } : asked,
  'temperature together with top p': (asked) =>
    asked.temperature === undefined ? asked : { ...asked, topP: undefined },
  'seed and penalties': (asked) => ({
    ...asked,
    seed: undefined,
    frequencyPenalty: undefined,
    presencePenalty: undefined,
  }),
  penalties: (asked) => ({ ...asked, frequencyPenalty: undefined, presencePenalty: undefined }),
  'top k': (asked) => ({ ...asked, topK: undefined }),
  logprobs: (asked) => ({ ...asked, logprobs: undefined }),
  'user ids': (asked) => ({ ...asked, user: undefined }),
  'fields of one vendor': (asked) => ({ ...asked, openai: {} }),
  'storing that nobody spoke of': (asked) => ({ ...asked, openai: { store: false, ...asked.openai } }),
  'the wish to stream': (asked) => ({ ...asked, stream: false }),
  'blank stop sequences': (asked) => ({ ...asked, stop: asked.stop.filter((each) => each.trim() !== '') }),
  'an output bound that nobody set': (asked) =>
    asked.maxOutputTokens === undefined ? { ...asked, maxOutputTokens: usualBound } : asked,
  'small output bounds': (asked) =>
    typeof asked.maxOutputTokens === 'number' && asked.maxOutputTokens < 16
      ? { ...asked, maxOutputTokens: 16 }
      : asked,
};

export interface Excused {
  readonly asked: Asked;
  /** The losses that changed something, and which fields. */
  readonly losses: readonly string[];
}

export function applyLosses(asked: Asked, pair: Pair): Excused {
  const declared = new Set<string>([...pair.from.unread.request, ...pair.to.request].map(({ what }) => what));
  let left = asked;
  const losses: string[] = [];
  for (const [what, excuse] of Object.entries(excuses)) {
    if (!declared.has(what)) continue;
    const next = excuse(left, pair);
    const fields = Object.keys(next).filter(
      (field) => !Bun.deepEquals(Reflect.get(next, field), Reflect.get(left, field)),
    );
    if (fields.length > 0) losses.push(`${what} (${fields.join(', ')})`);
    left = next;
  }
  return { asked: left, losses };
}

function toldFormat({ schema }: AskedFormat): string {
  const words = 'Answer with one JSON object and nothing else.';
  return schema === undefined ? words : `${words} It must fit this JSON schema: ${JSON.stringify(schema)}`;
}

const canBeStrict = (schema: unknown): boolean => isJsonObject(schema) && isStrictSchema(schema);

const closed = (schema: unknown): unknown => (isJsonObject(schema) ? closeSchema(schema) : schema);
