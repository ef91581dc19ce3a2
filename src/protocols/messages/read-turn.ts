/** Messages requests into the form between the protocols. */
import { asCount, asFilledText, asNumber, asObject, asTexts, type JsonObject } from '../json/fields.ts';
import { cannotRead } from '../turn/refuse.ts';
import {
  type Effort,
  efforts,
  type Reasoning,
  type ResponseFormat,
  type TurnRequest,
} from '../turn/request.ts';
import { readMessages, readSystem } from './read-messages.ts';
import { readToolChoice, readTools } from './read-tools.ts';

/** @throws AppError invalid_parameter for what the form does not know. */
export function readMessagesTurn(json: JsonObject): TurnRequest {
  const toolChoice = asObject(json['tool_choice']);
  const outputConfig = asObject(json['output_config']);
  return {
    system: readSystem(json['system']),
    messages: readMessages(json['messages']),
    tools: readTools(json['tools']),
    toolChoice: readToolChoice(toolChoice),
    parallelToolUse: toolChoice?.['disable_parallel_tool_use'] !== true,
    maxOutputTokens: asCount(json['max_tokens']),
    stopSequences: asTexts(json['stop_sequences']),
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
