/**
 * Whose models go on with a message of the assistant that stands at the end of the conversation, and how they want it
 * marked, as their makers document it in November 2026. Who is not in it is asked to repeat its last words instead.
 */
import { asObjects, isJsonObject, type JsonObject, tryParseJson } from '../protocols/json/fields.ts';
import { editMembers } from '../protocols/json/text.ts';
import { readClaudeModel, readClaudeVersion } from '../protocols/messages/models.ts';

export interface Prefill {
  /** Stand in that last message. */
  readonly message: JsonObject;
  /** Stand beside the messages. */
  readonly body: JsonObject;
}

interface Row {
  readonly kind: string;
  readonly source: string;
  readonly models: RegExp;
  /** Where that is a part of the address. */
  readonly baseUrl?: RegExp;
  readonly prefill: Prefill;
}

const rows: readonly Row[] = [
  {
    kind: 'mistral',
    source: 'https://docs.mistral.ai/api/ (AssistantMessage.prefix)',
    models: /./,
    prefill: { message: { prefix: true }, body: {} },
  },
  {
    kind: 'deepseek',
    source: 'https://api-docs.deepseek.com/guides/chat_prefix_completion',
    models: /./,
    // Its usual address refuses the mark.
    baseUrl: /\/beta\/?$/,
    prefill: { message: { prefix: true }, body: {} },
  },
  {
    kind: 'alibaba',
    source: 'https://www.alibabacloud.com/help/en/model-studio/partial-mode',
    models: /^qwen/,
    // Not while the model thinks.
    prefill: { message: { partial: true }, body: { enable_thinking: false } },
  },
];

const unmarked: Prefill = { message: {}, body: {} };

interface Asked {
  readonly kind: string;
  readonly baseUrl: string | null;
  /** The protocol that it is asked in. */
  readonly protocol: string;
  /** By its id there. */
  readonly model: string;
}

/** Null for a model that is not known to take one. */
export function prefillOf({ kind, baseUrl, protocol, model }: Asked): Prefill | null {
  if (protocol === 'messages' || protocol === 'converse') {
    const isKnown = readClaudeVersion(model).version > 0;
    return isKnown && readClaudeModel(model).prefill ? unmarked : null;
  }
  if (protocol !== 'chat-completions') return null;
  const row = rows.find((one) => one.kind === kind && one.models.test(model));
  if (row === undefined) return null;
  return row.baseUrl === undefined || row.baseUrl.test(baseUrl ?? '') ? row.prefill : null;
}

/** @param body of a chat completion that ends in the assistant's message. */
export function withPrefillMarks(body: string, { message, body: beside }: Prefill): string {
  if (Object.keys(message).length === 0) return body;
  const json = tryParseJson(body);
  if (!isJsonObject(json)) return body;
  const messages = asObjects(json['messages']);
  const marked = messages.map((one, at) => (at === messages.length - 1 ? { ...one, ...message } : one));
  const edits = new Map([['messages', JSON.stringify(marked)]]);
  for (const [name, value] of Object.entries(beside)) edits.set(name, JSON.stringify(value));
  return editMembers(body, edits, json);
}
