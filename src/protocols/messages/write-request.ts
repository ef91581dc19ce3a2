/**
 * Writes the turn as a messages request: settings, tools and tool choice. Before that it is fitted to what the upstream's
 * Claude takes: what it can no longer be told in a field it is told in words, and how much to think as the model wants
 * to be told.
 */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../json/fields.ts';
import type { UpstreamModel } from '../protocol.ts';
import { writeCacheMark } from '../turn/cache-mark.ts';
import { ClosedRoom, closeSchema, withClosableFormat } from '../turn/closed-schema.ts';
import { asFunction } from '../turn/free-text/as-function.ts';
import { namesNoTool, refuse } from '../turn/refuse.ts';
import { type ResponseFormat, type Sampling, type TurnRequest, withinBound } from '../turn/request.ts';
import { asObjectSchema, withPlainRoot } from '../turn/root-schema.ts';
import { askForSchema } from '../turn/schema.ts';
import {
  type FunctionTool,
  isWebSearch,
  readSearchBounds,
  type SearchTool,
  webSearchName,
} from '../turn/tools.ts';
import { type ClaudeModel, readClaudeModel } from './models.ts';
import { isForced, writeReasoning } from './reasoning.ts';
import { writeConversation } from './write-messages.ts';

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
    model,
  );
  const isThinking = thinking !== undefined && thinking['type'] !== 'disabled';
  const sampling = samplingFor(turn.sampling, claude, isThinking);
  const format = writeFormat(turn.responseFormat);
  // A sequence of blanks alone is refused; the answer is cut at it (`stopSequences` of the protocol).
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
    metadata: turn.userId === undefined ? undefined : { user_id: writeUserId(turn.userId) },
    stream: turn.stream ? true : undefined,
  });
}

/** As of November 2026: https://platform.claude.com/docs/en/api/messages. */
const mostUserCharacters = 256;
const emailAddress = /\S@\S+\.\S/;
const phoneNumber = /^[+(]?\d[\d\s().-]{5,}\d$/;

/**
 * Who asks, in a name that tells nobody who that is: the upstream refuses what looks like an address or a number
 * (BerriAI/litellm#10106), and what is too long. Such a name becomes its hash: the same caller stays the same.
 */
function writeUserId(userId: string): string {
  const isTaken =
    userId.length <= mostUserCharacters && !emailAddress.test(userId) && !phoneNumber.test(userId.trim());
  return isTaken ? userId : createHash('sha256').update(userId).digest('hex');
}

function writeFormat(format: ResponseFormat | undefined): JsonObject | undefined {
  if (format?.type !== 'json_schema') return undefined;
  return { type: 'json_schema', schema: closeSchema(format.schema) };
}

/** The protocol cannot narrow a choice to some of the tools, so the others are left out. */
function writeTools(turn: TurnRequest, claude: ClaudeModel): readonly JsonObject[] {
  const { tools, toolChoice } = turn;
  const room = new ClosedRoom(turn);
  const allowed = toolChoice?.type === 'allowed' ? new Set(toolChoice.names) : null;
  const written = tools.map(asFunction).flatMap((tool) => {
    if (tool.kind === 'vendor') {
      if (claude.webSearch && isWebSearch(tool)) return [writeWebSearch(tool)];
      throw refuse(`the tool type ${tool.type}`, 'tools');
    }
    return allowed === null || allowed.has(tool.name) ? [writeTool(tool, room)] : [];
  });
  if (written.length === 0) throw namesNoTool();
  return written;
}

/** As its own documentation has it since March 2025. */
const webSearchType = 'web_search_20250305';

function writeWebSearch(tool: SearchTool): JsonObject {
  const { userLocation, allowedDomains, blockedDomains } = readSearchBounds(tool);
  if (allowedDomains !== undefined && blockedDomains !== undefined) {
    throw refuse('a web search that is both held to domains and kept from some', 'tools');
  }
  return {
    type: webSearchType,
    name: webSearchName,
    max_uses: tool.maxUses,
    allowed_domains: allowedDomains,
    blocked_domains: blockedDomains,
    user_location: userLocation,
  };
}

function writeTool(tool: FunctionTool, room: ClosedRoom): JsonObject {
  const { name, description, cache } = tool;
  const schema = withPlainRoot(tool.schema, 'anthropic');
  const strict = tool.strict === true && !room.takesTool(schema) ? undefined : tool.strict;
  return {
    name,
    description,
    input_schema: strict === true ? closeSchema(schema) : asObjectSchema(schema),
    strict,
    cache_control: writeCacheMark(cache),
  };
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

export function fitToModel(turn: TurnRequest, claude: ClaudeModel): TurnRequest {
  const asked = claude.forcedTools || !isForced(turn) ? turn : withToolInWords(turn);
  return claude.schemas ? asked : withSchemasInWords(asked);
}

/** A choice of one tool offers that tool alone, so that the model can at least call no other. */
function withToolInWords(turn: TurnRequest): TurnRequest {
  const { toolChoice } = turn;
  const names =
    toolChoice?.type === 'tool'
      ? [toolChoice.name]
      : toolChoice?.type === 'allowed'
        ? toolChoice.names
        : null;
  const which = names === null ? 'one of the tools' : names.map((name) => `"${name}"`).join(' or ');
  const text = `Do not answer in text: call ${which}.`;
  return {
    ...turn,
    system: [...turn.system, { type: 'text', text }],
    toolChoice: names === null ? undefined : { type: 'allowed', names, required: false },
  };
}

function withSchemasInWords(turn: TurnRequest): TurnRequest {
  const format = turn.responseFormat;
  const asked =
    format?.type === 'json_schema'
      ? { ...askForSchema(turn, format.schema), responseFormat: undefined }
      : turn;
  const tools = asked.tools.map((tool) => (tool.kind === 'function' ? { ...tool, strict: undefined } : tool));
  return { ...asked, tools };
}

/** Thinking allows none of them, newer models neither, and the ones between not temperature and top_p at once. */
export function samplingFor(
  { temperature, topP, topK }: Sampling,
  claude: ClaudeModel,
  isThinking: boolean,
): Sampling {
  if (!claude.sampling || isThinking) return {};
  if (temperature === undefined) return { topP, topK };
  return { temperature: Math.min(1, temperature), topK };
}
