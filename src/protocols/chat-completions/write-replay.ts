/** An assistant's earlier thinking, where the host wants it back. */
import type { JsonObject } from '../json/fields.ts';
import type { ChatDialect } from './dialect.ts';
import type { AssistantFields } from './write-assistant.ts';

interface Replay {
  readonly reasoning_content?: string | undefined;
  readonly reasoning?: string | undefined;
  readonly reasoning_details?: readonly JsonObject[] | undefined;
  /** Parts that go in front of what was said. */
  readonly content?: readonly JsonObject[] | undefined;
}

export function writeReplay(fields: AssistantFields, { replay, emptyThinking }: ChatDialect): Replay {
  const { reasoning_details, tool_calls } = fields;
  const text = fields.reasoning_content ?? (tool_calls === undefined ? undefined : emptyThinking);
  switch (replay) {
    case 'none':
      return {};
    case 'fields':
      return { reasoning_content: text, reasoning_details };
    case 'reasoning_content':
      return { reasoning_content: text };
    case 'reasoning':
      return { reasoning: text };
    case 'reasoning_details':
      return {
        reasoning_details: reasoning_details ?? (text === undefined ? undefined : [plainDetail(text)]),
      };
    case 'content':
      return text === undefined
        ? {}
        : { content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] };
  }
}

const plainDetail = (text: string): JsonObject => ({ type: 'reasoning.text', text, index: 0 });
