/** Converse requests into the form between the protocols. */
import {
  asCount,
  asFilledText,
  asNumber,
  asObject,
  asText,
  asTexts,
  type JsonObject,
  tryParseJson,
} from '../json/fields.ts';
import { cannotRead } from '../turn/refuse.ts';
import { efforts, type Reasoning, type ResponseFormat, type TurnRequest } from '../turn/request.ts';
import { readSystem } from './read-blocks.ts';
import { readMessages } from './read-messages.ts';
import { readToolChoice, readTools } from './read-tools.ts';

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
