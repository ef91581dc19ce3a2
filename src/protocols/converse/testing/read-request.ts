/** Reads Converse requests back into the turn, so that tests can compare what was written with what was meant. */
import {
  asBoolean,
  asCount,
  asFilledText,
  asNumber,
  asObject,
  asObjects,
  asText,
  asTexts,
  type JsonObject,
  tryParseJson,
} from '../../json/fields.ts';
import { cannotRead } from '../../turn/refuse.ts';
import { efforts, type Reasoning, type ResponseFormat, type TurnRequest } from '../../turn/request.ts';
import type { Tool, ToolChoice } from '../../turn/tools.ts';
import { readMarked, readMessages, readSystem } from './read-messages.ts';

/** @throws AppError invalid_parameter for what the form does not know. */
export function readConverseTurn(json: JsonObject): TurnRequest {
  const inference = asObject(json['inferenceConfig']) ?? {};
  const toolConfig = asObject(json['toolConfig']) ?? {};
  const ofClaude = asObject(json['additionalModelRequestFields']) ?? {};
  const claudeChoice = asObject(ofClaude['tool_choice']);
  return {
    system: readSystem(json['system']),
    messages: readMessages(json['messages']),
    tools: readTools(toolConfig['tools']),
    toolChoice: readToolChoice(asObject(toolConfig['toolChoice']), claudeChoice),
    parallelToolUse: claudeChoice?.['disable_parallel_tool_use'] !== true,
    maxOutputTokens: asCount(inference['maxTokens']),
    stopSequences: asTexts(inference['stopSequences']),
    sampling: {
      temperature: asNumber(inference['temperature']),
      topP: asNumber(inference['topP']),
      topK: asCount(ofClaude['top_k']),
    },
    reasoning: readReasoning(asObject(ofClaude['thinking']), asObject(ofClaude['output_config'])),
    responseFormat: readFormat(asObject(asObject(json['outputConfig'])?.['textFormat'])),
    userId: asFilledText(asObject(json['requestMetadata'])?.['user_id']),
    stream: false,
    vendor: {},
  };
}

const thinkingModes: Readonly<Record<string, Reasoning['thinking']>> = {
  enabled: 'on',
  disabled: 'off',
  adaptive: 'adaptive',
};

function readReasoning(
  thinking: JsonObject | undefined,
  outputConfig: JsonObject | undefined,
): Reasoning | undefined {
  const effort = efforts.find((known) => known === outputConfig?.['effort']);
  const mode = thinkingModes[asFilledText(thinking?.['type']) ?? ''];
  if (effort === undefined && mode === undefined) return undefined;
  return { effort, thinking: mode, budgetTokens: asCount(thinking?.['budget_tokens']) };
}

/** What is asked for here is always enforced. */
function readFormat(format: JsonObject | undefined): ResponseFormat | undefined {
  if (format?.['type'] !== 'json_schema') return undefined;
  const definition = asObject(asObject(format['structure'])?.['jsonSchema']);
  const schema = asObject(tryParseJson(asText(definition?.['schema']) ?? ''));
  if (schema === undefined)
    throw cannotRead('outputConfig.textFormat', 'the schema is no JSON object in text');
  const name = asFilledText(definition?.['name']);
  const description = asFilledText(definition?.['description']);
  return { type: 'json_schema', schema, name, description, strict: true };
}

function readTools(tools: unknown): readonly Tool[] {
  return readMarked(asObjects(tools), readTool);
}

function readTool(tool: JsonObject): Tool {
  const system = asObject(tool['systemTool']);
  if (system !== undefined) return { kind: 'vendor', type: asText(system['name']) ?? '', json: tool };
  const spec = asObject(tool['toolSpec']);
  const name = asText(spec?.['name']);
  const schema = asObject(asObject(spec?.['inputSchema'])?.['json']);
  if (name === undefined || schema === undefined) {
    throw cannotRead('toolConfig.tools', 'a toolSpec needs a name and inputSchema.json');
  }
  return {
    kind: 'function',
    name,
    description: asText(spec?.['description']),
    schema,
    strict: asBoolean(spec?.['strict']),
  };
}

/** The API's own choice, or the one among Claude's fields. */
function readToolChoice(
  choice: JsonObject | undefined,
  claudeChoice: JsonObject | undefined,
): ToolChoice | undefined {
  if (choice?.['any'] !== undefined || claudeChoice?.['type'] === 'any') return { type: 'required' };
  if (claudeChoice?.['type'] === 'none') return { type: 'none' };
  const named = asObject(choice?.['tool']) ?? (claudeChoice?.['type'] === 'tool' ? claudeChoice : undefined);
  if (named === undefined) return undefined;
  const name = asText(named['name']);
  if (name === undefined) throw cannotRead('toolConfig.toolChoice', 'the choice of a tool needs its name');
  return { type: 'tool', name };
}
