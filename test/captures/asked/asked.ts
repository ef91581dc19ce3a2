/** What a request asks for, read from each protocol's own JSON without any of the code under test. */
import { asList, asObject, asObjects, asText, type JsonObject } from '../../../src/protocols/json/fields.ts';

export interface Asked {
  readonly system: readonly string[];
  /** Neighbours of one role are one message. */
  readonly messages: readonly AskedMessage[];
  readonly tools: readonly AskedTool[];
  /** `auto`, `none`, `required`, or the tools to choose from. */
  readonly toolChoice: string | { readonly names: readonly string[]; readonly required: boolean };
  readonly parallel: boolean;
  readonly maxOutputTokens: unknown;
  readonly stop: readonly string[];
  readonly temperature: unknown;
  readonly topP: unknown;
  readonly topK: unknown;
  readonly seed: unknown;
  readonly frequencyPenalty: unknown;
  readonly presencePenalty: unknown;
  readonly format: AskedFormat | undefined;
  readonly reasoning: AskedReasoning;
  readonly choices: unknown;
  readonly logprobs: unknown;
  readonly user: unknown;
  readonly stream: boolean;
  /** Fields that both protocols of OpenAI know, and no other. */
  readonly openai: JsonObject;
}

export interface AskedMessage {
  readonly role: string;
  readonly blocks: readonly AskedBlock[];
}

export type AskedBlock =
  | { readonly type: 'text' | 'refusal'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string; readonly signature: unknown }
  | { readonly type: 'call'; readonly name: string; readonly input: unknown; readonly signature: unknown }
  | {
      readonly type: 'result';
      /** Which call of the conversation it answers, from 0; -1 for one that nobody made. */
      readonly of: number;
      readonly isError: boolean;
      readonly content: readonly AskedBlock[];
    }
  | { readonly type: 'image'; readonly source: string; readonly detail: unknown }
  | { readonly type: 'document'; readonly source: string; readonly title: unknown; readonly context: unknown }
  | { readonly type: 'audio'; readonly source: string }
  /** What a vendor's own tools left. */
  | { readonly type: 'trace'; readonly kind: string };

export interface AskedTool {
  /** `function`, `custom`, or the type of a vendor's tool. */
  readonly kind: string;
  readonly name: unknown;
  readonly description: unknown;
  readonly schema: unknown;
  readonly strict: unknown;
}

export interface AskedFormat {
  /** Undefined: any JSON. */
  readonly schema: unknown;
  readonly name: unknown;
  readonly description: unknown;
  readonly strict: unknown;
}

export interface AskedReasoning {
  readonly isOn: boolean | undefined;
  readonly effort: unknown;
  readonly budget: unknown;
}

export type ResultBlock = Extract<AskedBlock, { type: 'result' }>;

/** Gathers messages, and numbers the calls so that results can say which they answer. */
export class Conversation {
  readonly system: string[] = [];
  readonly messages: { role: string; blocks: AskedBlock[] }[] = [];
  readonly #calls: { id: string | undefined; name: string; isAnswered: boolean }[] = [];

  say(role: string, ...blocks: readonly AskedBlock[]): void {
    const spoken = blocks.filter(says);
    if (spoken.length === 0) return;
    const last = this.messages.at(-1);
    if (last?.role === role) last.blocks.push(...spoken);
    else this.messages.push({ role, blocks: spoken });
  }

  /** Instructions stand in front of the conversation, or in the middle of it. */
  instruct(...texts: readonly string[]): void {
    if (this.messages.length === 0) this.system.push(...texts.filter((text) => text !== ''));
    else this.say('system', ...texts.map(textBlock));
  }

  call(id: unknown, called: { name: unknown; input: unknown; signature?: unknown }): AskedBlock {
    const name = asText(called.name) ?? '';
    this.#calls.push({ id: asText(id), name, isAnswered: false });
    return { type: 'call', name, input: called.input, signature: called.signature };
  }

  /** By its id, or, where a protocol needs none, the first call of the name that has no answer yet. */
  result(id: unknown, name: unknown, rest: Pick<ResultBlock, 'isError' | 'content'>): AskedBlock {
    const of = this.#calls.findIndex((call) =>
      asText(id) === undefined ? call.name === name && !call.isAnswered : call.id === id,
    );
    const call = this.#calls[of];
    if (call !== undefined) call.isAnswered = true;
    if (name !== undefined && call?.name !== name) return { type: 'result', of: -1, ...rest };
    return { type: 'result', of, ...rest };
  }
}

function says(block: AskedBlock): boolean {
  if (block.type === 'thinking') return block.text !== '' || block.signature !== undefined;
  return block.type !== 'text' || block.text !== '';
}

/** What a reader does not know makes the whole request unreadable, as it does for an upstream. */
export function known<Word extends string>(value: unknown, ...words: readonly Word[]): Word {
  const word = words.find((each) => each === value);
  if (word === undefined) throw new Error(`${JSON.stringify(value)} is none of ${words.join(', ')}`);
  return word;
}

const openaiFields = ['service_tier', 'prompt_cache_key', 'prompt_cache_retention', 'store'];

export const openaiFieldsOf = (json: JsonObject): JsonObject =>
  Object.fromEntries(openaiFields.filter((name) => name in json).map((name) => [name, json[name]]));

export const textBlock = (text: unknown): AskedBlock => ({ type: 'text', text: asText(text) ?? '' });
export const trace = (kind: unknown): AskedBlock => ({ type: 'trace', kind: String(kind) });
export const bytes = (mediaType: unknown, data: unknown): string => `${mediaType};base64,${data}`;

/** A URL, whose bytes are in it when it is of that kind. */
export const place = (url: unknown): string => String(url).replace(/^data:/, '');

export const textsOf = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : asObjects(value).map(({ type, text }) => {
        known(type, 'text', 'input_text', 'output_text');
        return asText(text) ?? '';
      });

export const asStops = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : asList(value).map(String);

/** Efforts are words; `none` is one of them. */
export const effortOf = (effort: unknown): AskedReasoning => ({
  isOn: effort === undefined || effort === null ? undefined : effort !== 'none',
  effort: effort ?? undefined,
  budget: undefined,
});

/** As functions are written by OpenAI and in `custom_tool_call`s. */
export const functionTool = (tool: JsonObject, schema: unknown): AskedTool => ({
  kind: 'function',
  name: tool['name'],
  description: tool['description'],
  schema,
  strict: tool['strict'] ?? undefined,
});

export const customTool = ({ name, description, format }: JsonObject): AskedTool => ({
  kind: 'custom',
  name,
  description,
  schema: asObject(format)?.['type'] === 'text' ? undefined : format,
  strict: undefined,
});

/** What a search of the web is held to stands in the place of a schema. */
export const vendorTool = (tool: JsonObject): AskedTool => ({
  kind: String(tool['type']),
  name: undefined,
  description: undefined,
  schema: String(tool['type']).startsWith('web_search') ? boundsOf(tool) : undefined,
  strict: undefined,
});

function boundsOf(tool: JsonObject): JsonObject {
  const domains = asObject(tool['filters']) ?? tool;
  return {
    place: tool['user_location'] ?? undefined,
    allowed: domains['allowed_domains'] ?? undefined,
    blocked: domains['blocked_domains'] ?? undefined,
  };
}
