/** A request in the form between the protocols. Absent means: the caller did not say. */
import type { JsonObject } from '../json/fields.ts';
import type { AssistantBlock, TextBlock, UserBlock } from './blocks.ts';
import type { Tool, ToolChoice } from './tools.ts';

export interface TurnRequest {
  readonly system: readonly TextBlock[];
  /** Neighbours never have the same role: readers join them in a `MessageList`. */
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  readonly toolChoice?: ToolChoice | undefined;
  /** False: at most one tool in an answer. */
  readonly parallelToolUse: boolean;
  /** Thinking included. */
  readonly maxOutputTokens?: number | undefined;
  readonly stopSequences: readonly string[];
  readonly sampling: Sampling;
  readonly reasoning?: Reasoning | undefined;
  readonly responseFormat?: ResponseFormat | undefined;
  /** How many answers; absent means one. */
  readonly choices?: number | undefined;
  /** Logprobs are asked for: of how many alternatives at each place, 0 for the chosen token alone. */
  readonly logprobs?: number | undefined;
  /** Who asks, as the caller names its own user. */
  readonly userId?: string | undefined;
  readonly stream: boolean;
  /** Fields that only the protocols of one vendor know, by the name they have there. */
  readonly vendor: { readonly openai?: JsonObject | undefined };
}

export type Message = UserMessage | AssistantMessage | SystemMessage;

export interface UserMessage {
  readonly role: 'user';
  readonly content: readonly UserBlock[];
}

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: readonly AssistantBlock[];
}

/** An instruction that came in the middle of the conversation. */
export interface SystemMessage {
  readonly role: 'system';
  readonly content: readonly TextBlock[];
}

export interface Sampling {
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly seed?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly presencePenalty?: number | undefined;
}

export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof efforts)[number];

export interface Reasoning {
  readonly effort?: Effort | undefined;
  /** `adaptive`: as much as the model finds right; `on`: within the budget. */
  readonly thinking?: 'off' | 'on' | 'adaptive' | undefined;
  readonly budgetTokens?: number | undefined;
}

/** Up to these budgets an effort is low or medium, where a model is told an effort and the request names a budget. */
const mostForLowTokens = 4096;
const mostForMediumTokens = 16_384;

export function effortOfBudget(budgetTokens: number | undefined): 'low' | 'medium' | 'high' | undefined {
  if (budgetTokens === undefined) return undefined;
  if (budgetTokens <= mostForLowTokens) return 'low';
  return budgetTokens <= mostForMediumTokens ? 'medium' : 'high';
}

/**
 * The bound holds thoughts and answer together. Whoever names a budget within it has said how to share it; a budget that
 * stands for an effort, or leaves nothing, leaves half to the answer.
 */
export function mostForThinking(bound: number | undefined, named: number | undefined): number {
  if (bound === undefined) return Number.POSITIVE_INFINITY;
  return named !== undefined && named < bound ? named : Math.floor(bound / 2);
}

export type ResponseFormat =
  | { readonly type: 'json' }
  | {
      readonly type: 'json_schema';
      readonly schema: JsonObject;
      readonly name?: string | undefined;
      readonly description?: string | undefined;
      readonly strict: boolean;
    };

/** What is known of the upstream's model beyond the request; a writer that needs more than is known has a default. */
export interface ModelFacts {
  readonly maxOutputTokens?: number | undefined;
  /** False when it is known that the model cannot reason, and would refuse to be asked to. */
  readonly reasons?: boolean | undefined;
}

/** Upstreams refuse more than their model can write; callers who ask for more mean: as much as there is. */
export function withinBound(turn: TurnRequest, { maxOutputTokens: most }: ModelFacts): TurnRequest {
  const { maxOutputTokens: asked } = turn;
  return asked === undefined || most === undefined || asked <= most
    ? turn
    : { ...turn, maxOutputTokens: most };
}

type Draft =
  | { readonly role: 'user'; readonly content: UserBlock[] }
  | { readonly role: 'assistant'; readonly content: AssistantBlock[] }
  | { readonly role: 'system'; readonly content: TextBlock[] };

/** Collects messages so that the turn's rules hold: no empty ones, no equal neighbours, tool results first. */
export class MessageList {
  readonly #drafts: Draft[] = [];

  /** Told without `messages`, which makes all of them anew. */
  get isEmpty(): boolean {
    return this.#drafts.length === 0;
  }

  get messages(): readonly Message[] {
    return this.#drafts.map((draft) =>
      draft.role === 'user' ? { role: 'user', content: resultsFirst(draft.content) } : draft,
    );
  }

  user(blocks: readonly UserBlock[]): void {
    if (blocks.length === 0) return;
    const last = this.#drafts.at(-1);
    if (last?.role === 'user') append(last.content, blocks);
    else this.#drafts.push({ role: 'user', content: [...blocks] });
  }

  assistant(blocks: readonly AssistantBlock[]): void {
    if (blocks.length === 0) return;
    const last = this.#drafts.at(-1);
    if (last?.role === 'assistant') append(last.content, blocks);
    else this.#drafts.push({ role: 'assistant', content: [...blocks] });
  }

  system(blocks: readonly TextBlock[]): void {
    if (blocks.length === 0) return;
    const last = this.#drafts.at(-1);
    if (last?.role === 'system') append(last.content, blocks);
    else this.#drafts.push({ role: 'system', content: [...blocks] });
  }
}

/** In place: a new list for each of many neighbours would take the square of their number. */
function append<Block>(content: Block[], blocks: readonly Block[]): void {
  for (const block of blocks) content.push(block);
}

function resultsFirst(blocks: readonly UserBlock[]): readonly UserBlock[] {
  const isResult = (block: UserBlock): boolean => block.type === 'tool_result';
  const lastResult = blocks.findLastIndex(isResult);
  const firstOther = blocks.findIndex((block) => !isResult(block));
  if (firstOther === -1 || lastResult < firstOther) return blocks;
  return [...blocks.filter(isResult), ...blocks.filter((block) => !isResult(block))];
}
