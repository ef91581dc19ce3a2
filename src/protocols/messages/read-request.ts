/** Reads messages requests into the turn: settings, tools and tool choice. */
import {
  asBoolean,
  asCount,
  asFilledText,
  asNumber,
  asObject,
  asObjects,
  asText,
  filledTexts,
  type JsonObject,
} from '../json/fields.ts';
import { readSpelledBelow } from '../json/spelling.ts';
import type { AssistantBlock, CacheMark, UserBlock } from '../turn/blocks.ts';
import { readCacheMark } from '../turn/cache-mark.ts';
import { cannotRead } from '../turn/refuse.ts';
import {
  type Effort,
  efforts,
  type Message,
  type Reasoning,
  type ResponseFormat,
  type TurnRequest,
} from '../turn/request.ts';
import type { Tool, ToolChoice } from '../turn/tools.ts';
import { argumentMembers, readMessages, readSystem } from './read-messages.ts';

/** @throws AppError invalid_parameter for what the form does not know. */
export function readMessagesTurn(given: JsonObject, text = ''): TurnRequest {
  const json = readSpelledBelow(text, argumentMembers) ?? given;
  const toolChoice = asObject(json['tool_choice']);
  const outputConfig = asObject(json['output_config']);
  return {
    system: readSystem(json['system']),
    messages: withAutomaticMark(readMessages(json['messages']), readCacheMark(json)),
    tools: readTools(json['tools']),
    toolChoice: readToolChoice(toolChoice),
    parallelToolUse: toolChoice?.['disable_parallel_tool_use'] !== true,
    maxOutputTokens: asCount(json['max_tokens']),
    stopSequences: filledTexts(json['stop_sequences']),
    sampling: {
      temperature: asNumber(json['temperature']),
      topP: asNumber(json['top_p']),
      topK: asCount(json['top_k']),
    },
    reasoning: readReasoning(asObject(json['thinking']), outputConfig?.['effort']),
    responseFormat: readFormat(asObject(outputConfig?.['format'] ?? json['output_format'])),
    userId: asFilledText(asObject(json['metadata'])?.['user_id']),
    stream: json['stream'] === true,
    vendor: {},
  };
}

/**
 * A mark of the whole request moves with the conversation: the vendor sets it on the last block that can have one, where
 * there is none yet.
 */
function withAutomaticMark(messages: readonly Message[], mark: CacheMark | undefined): readonly Message[] {
  const last = messages.at(-1);
  if (mark === undefined || last === undefined) return messages;
  switch (last.role) {
    case 'user':
      return messages.with(-1, { ...last, content: withLastMarked(last.content, mark) });
    case 'assistant':
      return messages.with(-1, { ...last, content: withLastMarked(last.content, mark) });
    case 'system':
      return messages.with(-1, { ...last, content: withLastMarked(last.content, mark) });
  }
}

function withLastMarked<Block extends UserBlock | AssistantBlock>(
  content: readonly Block[],
  mark: CacheMark,
): readonly Block[] {
  const at = content.findLastIndex(({ type }) => markable.has(type));
  const block = content[at];
  return block === undefined || ('cache' in block && block.cache !== undefined)
    ? content
    : content.with(at, { ...block, cache: mark });
}

const markable: ReadonlySet<string> = new Set(['text', 'image', 'document', 'tool_result', 'tool_use']);

const thinkingModes: Readonly<Record<string, Reasoning['thinking']>> = {
  enabled: 'on',
  disabled: 'off',
  adaptive: 'adaptive',
  between_tools: 'adaptive',
};

function readReasoning(thinking: JsonObject | undefined, effortGiven: unknown): Reasoning | undefined {
  const effort: Effort | undefined = efforts.find((known) => known === effortGiven);
  const mode = thinkingModes[asFilledText(thinking?.['type']) ?? ''];
  if (effort === undefined && mode === undefined) return undefined;
  return { effort, thinking: mode, budgetTokens: asCount(thinking?.['budget_tokens']) };
}

/** What is asked for here is always enforced. Clients of the beta name it `output_format`. */
function readFormat(format: JsonObject | undefined): ResponseFormat | undefined {
  if (format?.['type'] !== 'json_schema') return undefined;
  const schema = asObject(format['schema']);
  if (schema === undefined) throw cannotRead('output_config.format', 'json_schema needs a schema');
  return { type: 'json_schema', schema, strict: true };
}

function readTools(value: unknown): readonly Tool[] {
  return asObjects(value).map(readTool);
}

/** A tool with a type of its own is one that the vendor defines. */
function readTool(tool: JsonObject): Tool {
  const type = asText(tool['type']);
  if (type !== undefined && type !== 'custom') {
    return { kind: 'vendor', type, json: tool, maxUses: asCount(tool['max_uses']) };
  }
  const name = asText(tool['name']);
  const schema = asObject(tool['input_schema']);
  if (name === undefined || schema === undefined) {
    throw cannotRead('tools', 'a tool needs a name and an input_schema');
  }
  return {
    kind: 'function',
    name,
    description: asText(tool['description']),
    schema,
    strict: asBoolean(tool['strict']),
    cache: readCacheMark(tool),
  };
}

function readToolChoice(choice: JsonObject | undefined): ToolChoice | undefined {
  switch (choice?.['type']) {
    case 'none':
      return { type: 'none' };
    case 'any':
      return { type: 'required' };
    case 'tool': {
      const name = asText(choice['name']);
      if (name === undefined) throw cannotRead('tool_choice', 'the type tool needs a name');
      return { type: 'tool', name };
    }
    default:
      return undefined;
  }
}
