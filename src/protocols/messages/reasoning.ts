/** How much to think, as each generation of Claude's models is told: a budget, or an effort that guides it. */
import type { JsonObject } from '../json/fields.ts';
import {
  type Effort,
  effortOfBudget,
  efforts,
  type Message,
  type ModelFacts,
  mostForThinking,
  type TurnRequest,
} from '../turn/request.ts';
import type { ClaudeModel } from './models.ts';
import { canReplay } from './write-messages.ts';

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

/** @param facts of the model: where the caller set no bound, the most that it can write is the bound. */
export function writeReasoning(turn: TurnRequest, model: ClaudeModel, facts: ModelFacts): WrittenReasoning {
  const { reasoning } = turn;
  if (reasoning === undefined) return nothing;
  if (reasoning.thinking === 'off' || reasoning.effort === 'none') return writeOff(reasoning.effort, model);
  if (model.thinking === 'none') return nothing;
  if (model.thinking === 'budget') return writeBudget(turn, facts);
  const display = model.hidesThoughts ? 'summarized' : undefined;
  const thinking = isForced(turn) ? undefined : { type: 'adaptive', display };
  return { ...nothing, thinking, effort: effortOf(reasoning.effort, model) };
}

export function isForced({ toolChoice, tools }: TurnRequest): boolean {
  if (toolChoice === undefined || tools.length === 0) return false;
  return toolChoice.type === 'allowed' ? toolChoice.required : toolChoice.type !== 'none';
}

/** What a request in the vendor's own protocol says of thinking. */
export interface AskedReasoning {
  readonly thinking: JsonObject | undefined;
  readonly effort: unknown;
  /** Of thoughts and answer together. */
  readonly boundTokens: number | undefined;
  /** Whether some tool must be used. */
  readonly forcesTool: boolean;
  /** Whether the model would be asked to think within a budget where its last steps were not thought over. */
  lacksThinking(): boolean;
}

/** A member is undefined where what was asked for can stand, and null where it is left out. */
export interface FittingReasoning {
  readonly thinking: JsonObject | null | undefined;
  readonly effort: Effort | null | undefined;
}

/** Of a request in the vendor's own protocol: what its model takes instead of what it refuses. */
export function reasoningInstead(asked: AskedReasoning, model: ClaudeModel): FittingReasoning {
  const { thinking } = asked;
  const effort = efforts.find((known) => known === asked.effort);
  if (thinking?.['type'] === 'disabled') {
    const off = writeOff(effort, model);
    const isKept = off.thinking?.['type'] === 'disabled';
    return {
      thinking: isKept ? undefined : (off.thinking ?? null),
      effort: effortInstead(asked.effort, off.effort, model),
    };
  }
  const ofBudget = effortOfBudget(budgetOf(thinking));
  const instead = thinkingInstead(thinking, effort, asked, model);
  const wanted = instead?.['type'] === 'adaptive' ? (effort ?? ofBudget) : effort;
  return { thinking: instead, effort: effortInstead(asked.effort, effortOf(wanted, model), model) };
}

function effortInstead(
  asked: unknown,
  fitting: Effort | undefined,
  model: ClaudeModel,
): Effort | null | undefined {
  if (!model.takesEffort) return asked == null ? undefined : null;
  return model.efforts.length === 0 || fitting === asked ? undefined : fitting;
}

function thinkingInstead(
  thinking: JsonObject | undefined,
  effort: Effort | undefined,
  { boundTokens, forcesTool, lacksThinking }: AskedReasoning,
  model: ClaudeModel,
): JsonObject | null | undefined {
  const type = thinking?.['type'];
  const isKnown = type === 'enabled' || type === 'adaptive' || type === 'between_tools';
  if (!isKnown || type === model.thinkingOff?.type) return undefined;
  if (type !== 'between_tools' && model.thinkingTypes.includes(type)) return undefined;
  if (model.thinkingTypes.includes('adaptive')) {
    const display = thinking?.['display'] ?? (model.hidesThoughts ? 'summarized' : undefined);
    return { type: 'adaptive', display };
  }
  if (!model.thinkingTypes.includes('enabled') || forcesTool || lacksThinking()) return null;
  const budget = Math.min(budgetByEffort[effort ?? 'medium'], mostForThinking(boundTokens, undefined));
  return budget < minBudgetTokens ? null : { type: 'enabled', budget_tokens: budget };
}

function budgetOf(thinking: JsonObject | undefined): number | undefined {
  const budget = thinking?.['budget_tokens'];
  return typeof budget === 'number' ? budget : undefined;
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

/**
 * Thinking within a budget is refused with a forced tool, and when the last steps with tools, or the words that the model
 * is to go on from, were not thought over.
 */
function writeBudget(turn: TurnRequest, facts: ModelFacts): WrittenReasoning {
  if (isForced(turn) || lacksThinking(turn.messages)) return nothing;
  const { budgetTokens, effort = 'medium' } = turn.reasoning ?? {};
  const wanted = budgetTokens ?? budgetByEffort[effort];
  const { maxOutputTokens } = turn;
  const bound = maxOutputTokens ?? facts.maxOutputTokens;
  const affordable = Math.min(wanted, mostForThinking(bound, budgetTokens));
  if (affordable < minBudgetTokens) return nothing;
  return {
    thinking: { type: 'enabled', budget_tokens: affordable },
    effort: undefined,
    budgetTokens: maxOutputTokens === undefined ? affordable : 0,
  };
}

/** Whether the model is in the midst of using tools, or of its answer, and its thinking before that is not to be had. */
function lacksThinking(messages: readonly Message[]): boolean {
  let isAtEnd = true;
  for (const { role, content } of messages.toReversed()) {
    // What stands beside a result, such as a reminder of the client, begins no new turn.
    if (role === 'user' && !content.some((block) => block.type === 'tool_result')) return false;
    if (role === 'user') isAtEnd = false;
    if (role !== 'assistant') continue;
    // Thinking of others is not sent, so it is the block behind it that begins the message.
    const first = content.find(canReplay);
    if (first === undefined) continue;
    const isPrefill = isAtEnd;
    isAtEnd = false;
    const isThought = first.type === 'thinking' || first.type === 'redacted_thinking';
    if (!isThought && (isPrefill || content.some(({ type }) => type === 'tool_use'))) return true;
  }
  return false;
}
