/**
 * Writes the turn as a messages request: settings, tools and tool choice. Before that it is fitted to what the upstream's
 * Claude takes: what it can no longer be told in a field it is told in words, and how much to think as the model wants
 * to be told.
 */
import type { JsonObject } from '../json/fields.ts';
import type { UpstreamModel } from '../protocol.ts';
import type { AssistantBlock, RedactedThinkingBlock, ThinkingBlock, UserBlock } from '../turn/blocks.ts';
import { writeCacheMark } from '../turn/cache-mark.ts';
import { asFunction } from '../turn/free-text/as-function.ts';
import { refuse } from '../turn/refuse.ts';
import {
  type Effort,
  efforts,
  type Message,
  mostForThinking,
  type ResponseFormat,
  type Sampling,
  type TurnRequest,
  withinBound,
} from '../turn/request.ts';
import { askForSchema, asObjectSchema, closeSchema, isClosable, withClosableFormat } from '../turn/schema.ts';
import { type FunctionTool, isWebSearch, type VendorTool } from '../turn/tools.ts';
import { type ClaudeModel, readClaudeModel } from './models.ts';
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
      if (claude.webSearch && isWebSearch(tool)) return [writeWebSearch(tool)];
      throw refuse(`the tool type ${tool.type}`, 'tools');
    }
    return allowed === null || allowed.has(tool.name) ? [writeTool(tool)] : [];
  });
}

/** As its own documentation has it since March 2025. */
const webSearchType = 'web_search_20250305';

function writeWebSearch({ json, maxUses }: VendorTool): JsonObject {
  return { type: webSearchType, name: 'web_search', max_uses: maxUses, user_location: json['user_location'] };
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

function isForced({ toolChoice, tools }: TurnRequest): boolean {
  if (toolChoice === undefined || tools.length === 0) return false;
  return toolChoice.type === 'allowed' ? toolChoice.required : toolChoice.type !== 'none';
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

export interface WrittenReasoning {
  readonly thinking: JsonObject | undefined;
  readonly effort: Effort | undefined;
  /** What thinking may cost on top of the answer when the caller set no bound. */
  readonly budgetTokens: number;
}

const minBudgetTokens = 1024;
const budgetByEffort = {
  none: 0,
  minimal: minBudgetTokens,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 24_576,
  max: 32_000,
} as const satisfies Record<Effort, number>;

const nothing: WrittenReasoning = { thinking: undefined, effort: undefined, budgetTokens: 0 };

export function writeReasoning(turn: TurnRequest, model: ClaudeModel): WrittenReasoning {
  const { reasoning } = turn;
  if (reasoning === undefined) return nothing;
  if (reasoning.thinking === 'off' || reasoning.effort === 'none') return writeOff(reasoning.effort, model);
  if (model.thinking === 'none') return nothing;
  if (model.thinking === 'budget') return writeBudget(turn);
  const display = model.hidesThoughts ? 'summarized' : undefined;
  const thinking = isForced(turn) ? undefined : { type: 'adaptive', display };
  return { ...nothing, thinking, effort: effortOf(reasoning.effort, model) };
}

/**
 * Of a request in the vendor's own protocol: what its model takes instead of what it refuses. A member is undefined where
 * what was asked for can stand, and null where it is left out.
 */
export function reasoningInstead(
  { thinking, effort: given }: { readonly thinking: JsonObject | undefined; readonly effort: unknown },
  model: ClaudeModel,
): { readonly thinking: JsonObject | null | undefined; readonly effort: Effort | undefined } {
  const asked = efforts.find((known) => known === given);
  const isOff = thinking?.['type'] === 'disabled';
  const fitting = isOff ? writeOff(asked, model) : { thinking, effort: effortOf(asked, model) };
  const isKept = !isOff || fitting.thinking?.['type'] === 'disabled';
  return {
    thinking: isKept ? undefined : (fitting.thinking ?? null),
    effort: model.efforts.length === 0 || fitting.effort === asked ? undefined : fitting.effort,
  };
}

/** A model that always thinks is asked to do so as little as it can. */
function writeOff(
  effort: Effort | undefined,
  { thinkingOff, efforts: known }: ClaudeModel,
): WrittenReasoning {
  if (thinkingOff === null) return { ...nothing, effort: known[0] };
  const { type, mostEffort } = thinkingOff;
  const allowed = known.filter((one) => rankOf(one) <= rankOf(mostEffort));
  const thinking = type === 'unasked' ? undefined : { type };
  return { ...nothing, thinking, effort: effortOf(effort, { efforts: allowed }) };
}

/** The nearest effort that the model knows and that is not above the one asked for. */
function effortOf(asked: Effort | undefined, model: Pick<ClaudeModel, 'efforts'>): Effort | undefined {
  if (asked === undefined || asked === 'none') return undefined;
  return model.efforts.findLast((known) => rankOf(known) <= rankOf(asked)) ?? model.efforts[0];
}

const rankOf = (effort: Effort): number => efforts.indexOf(effort);

/** Thinking within a budget is refused with a forced tool, and when the last steps with tools were not thought over. */
function writeBudget(turn: TurnRequest): WrittenReasoning {
  if (isForced(turn) || lacksThinking(turn.messages)) return nothing;
  const { budgetTokens, effort = 'medium' } = turn.reasoning ?? {};
  const wanted = budgetTokens ?? budgetByEffort[effort];
  const { maxOutputTokens } = turn;
  const affordable = Math.min(wanted, mostForThinking(maxOutputTokens, budgetTokens));
  if (affordable < minBudgetTokens) return nothing;
  return {
    thinking: { type: 'enabled', budget_tokens: affordable },
    effort: undefined,
    budgetTokens: maxOutputTokens === undefined ? affordable : 0,
  };
}

/** Whether the model is in the midst of using tools and its thinking before that is not to be had. */
function lacksThinking(messages: readonly Message[]): boolean {
  for (const { role, content } of messages.toReversed()) {
    // What stands beside a result, such as a reminder of the client, begins no new turn.
    if (role === 'user' && !content.some((block) => block.type === 'tool_result')) return false;
    if (role !== 'assistant') continue;
    const usesTools = content.some((block) => block.type === 'tool_use');
    // Thinking of others is not sent, so it is the block behind it that begins the message.
    const first = content.find((block) => !isThinking(block) || block.signature?.origin === 'anthropic');
    if (usesTools && (first === undefined || !isThinking(first))) return true;
  }
  return false;
}

function isThinking(block: AssistantBlock | UserBlock): block is ThinkingBlock | RedactedThinkingBlock {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}
