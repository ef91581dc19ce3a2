/** Writes the turn as a messages request: settings, tools and tool choice. */
import type { JsonObject } from '../json/fields.ts';
import type { UpstreamModel } from '../protocol.ts';
import { asFunction } from '../turn/free-text/as-function.ts';
import { refuse } from '../turn/refuse.ts';
import { type ResponseFormat, type TurnRequest, withinBound } from '../turn/request.ts';
import { closeSchema, isClosable, withClosableFormat } from '../turn/schema.ts';
import { type FunctionTool, isWebSearch } from '../turn/tools.ts';
import { fitToModel, samplingFor, writeReasoning } from './fit-model.ts';
import { type ClaudeModel, readClaudeModel } from './models.ts';
import { writeCacheMark, writeConversation } from './write-messages.ts';

/** The protocol demands a bound; this one holds when neither the caller nor the catalogue knows any. */
const defaultMaxTokens = 8192;

/** @throws AppError invalid_parameter for what the protocol cannot hold. */
export function writeMessagesTurn(asked: TurnRequest, model: UpstreamModel): string {
  const claude = readClaudeModel(model.id);
  const turn = fitToModel(withClosableFormat(withinBound(asked, model)), claude);
  if (turn.choices !== undefined) throw refuse('more than one choice', 'n');
  const { thinking, effort, budgetTokens } = writeReasoning(
    model.reasons === false ? { ...turn, reasoning: undefined } : turn,
    claude,
  );
  const isThinking = thinking !== undefined && thinking['type'] !== 'disabled';
  const sampling = samplingFor(turn.sampling, claude, isThinking);
  const format = writeFormat(turn.responseFormat);
  // A sequence of blanks alone is refused.
  const stopSequences = turn.stopSequences.filter((sequence) => sequence.trim() !== '');
  return JSON.stringify({
    model: model.id,
    max_tokens: turn.maxOutputTokens ?? model.maxOutputTokens ?? defaultMaxTokens + budgetTokens,
    ...writeConversation(turn, claude),
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: sampling.topK,
    stop_sequences: stopSequences.length > 0 ? stopSequences : undefined,
    tools: turn.tools.length > 0 ? writeTools(turn, claude) : undefined,
    tool_choice: turn.tools.length > 0 ? writeToolChoice(turn) : undefined,
    thinking,
    output_config: effort === undefined && format === undefined ? undefined : { effort, format },
    metadata: turn.userId === undefined ? undefined : { user_id: turn.userId },
    stream: turn.stream ? true : undefined,
  });
}

function writeFormat(format: ResponseFormat | undefined): JsonObject | undefined {
  if (format?.type !== 'json_schema') return undefined;
  return { type: 'json_schema', schema: closeSchema(format.schema) };
}

/** The protocol cannot narrow a choice to some of the tools, so the others are left out. */
function writeTools({ tools, toolChoice }: TurnRequest, claude: ClaudeModel): readonly JsonObject[] {
  const allowed = toolChoice?.type === 'allowed' ? new Set(toolChoice.names) : null;
  return tools.map(asFunction).flatMap((tool) => {
    if (tool.kind === 'vendor') {
      if (claude.webSearch && isWebSearch(tool)) return [writeWebSearch(tool.json)];
      throw refuse(`the tool type ${tool.type}`, 'tools');
    }
    return allowed === null || allowed.has(tool.name) ? [writeTool(tool)] : [];
  });
}

/** As its own documentation has it since March 2025. */
const webSearchType = 'web_search_20250305';

function writeWebSearch({ user_location }: JsonObject): JsonObject {
  return { type: webSearchType, name: 'web_search', user_location };
}

function writeTool({ name, description, schema, strict: asked, cache }: FunctionTool): JsonObject {
  const strict = asked === true && !isClosable(schema) ? undefined : asked;
  return {
    name,
    description,
    input_schema: strict === true ? closeSchema(schema) : asObjectSchema(schema),
    strict,
    cache_control: writeCacheMark(cache),
  };
}

/** The schema of the arguments must say that they are an object. */
function asObjectSchema(schema: JsonObject): JsonObject {
  return schema['type'] === 'object' ? schema : { ...schema, type: 'object' };
}

function writeToolChoice({ toolChoice, parallelToolUse }: TurnRequest): JsonObject | undefined {
  const disable_parallel_tool_use = parallelToolUse ? undefined : true;
  switch (toolChoice?.type) {
    case undefined:
      return parallelToolUse ? undefined : { type: 'auto', disable_parallel_tool_use };
    case 'none':
      return { type: 'none' };
    case 'required':
      return { type: 'any', disable_parallel_tool_use };
    case 'tool':
      return { type: 'tool', name: toolChoice.name, disable_parallel_tool_use };
    case 'allowed':
      return { type: toolChoice.required ? 'any' : 'auto', disable_parallel_tool_use };
  }
}
