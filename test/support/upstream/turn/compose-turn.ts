/** Makes up what a model would say to a request, in no protocol's terms. */
import type { Generation } from '../answer.ts';
import type { Usage } from '../usage.ts';
import { sampleOf } from './sample-json.ts';
import { fragmentsOf, piecesOf, stockWords } from './words.ts';

export interface Tool {
  readonly name: string;
  readonly parameters: unknown;
}

/** What the composer needs to know of a request, whatever its protocol. */
export interface Wish {
  readonly limit: number | undefined;
  readonly tools: readonly Tool[];
  readonly toolChoice: 'none' | 'auto' | 'required' | { readonly name: string };
  readonly parallelTools: boolean;
  /** A JSON answer of this schema; undefined for prose. */
  readonly schema: unknown;
  /** How many answers side by side. */
  readonly choices: number;
  readonly bodyBytes: number;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** The arguments' JSON in the pieces a stream sends. */
  readonly fragments: readonly string[];
}

export interface Turn {
  readonly reasoning: readonly string[];
  readonly text: readonly string[];
  readonly toolCalls: readonly ToolCall[];
  readonly finish: 'stop' | 'length' | 'tool_calls';
  readonly usage: Usage;
}

const usualTokens = 16;
const mostTokens = 4096;
const fragmentCharacters = 6;

export function composeTurn(wish: Wish, generation: Generation, number: number): Turn {
  const toolCalls = composeToolCalls(wish, generation, number);
  const speech =
    toolCalls.length > 0 ? callingSpeech(toolCalls, generation) : composeSpeech(wish, generation);
  const promptTokens = generation.promptTokens ?? Math.ceil(wish.bodyBytes / 4);
  return {
    reasoning: generation.showReasoning === true ? stockWords(speech.reasoningTokens, false) : [],
    text: speech.text,
    toolCalls,
    finish: speech.finish,
    usage: {
      promptTokens,
      cachedTokens: Math.min(generation.cachedTokens ?? 0, promptTokens),
      completionTokens: speech.completionTokens * wish.choices,
      reasoningTokens: speech.reasoningTokens * wish.choices,
    },
  };
}

function composeToolCalls(wish: Wish, generation: Generation, number: number): ToolCall[] {
  const { tools, toolChoice } = wish;
  if (tools.length === 0 || toolChoice === 'none') return [];
  const offered =
    typeof toolChoice === 'object' ? tools.filter((tool) => tool.name === toolChoice.name) : tools;
  const wanted = generation.toolCalls ?? (toolChoice === 'auto' ? 0 : 1);
  const count = wish.parallelTools ? wanted : Math.min(wanted, 1);
  return Array.from({ length: count }, (_, index) => offered[index % offered.length])
    .filter((tool) => tool !== undefined)
    .map((tool, index) => ({
      id: `call_double_${number}_${index}`,
      name: tool.name,
      fragments: fragmentsOf(JSON.stringify(sampleOf(tool.parameters)), fragmentCharacters),
    }));
}

interface Speech {
  readonly text: readonly string[];
  readonly reasoningTokens: number;
  /** Of one choice, reasoning included. */
  readonly completionTokens: number;
  readonly finish: Turn['finish'];
}

function callingSpeech(toolCalls: readonly ToolCall[], generation: Generation): Speech {
  const reasoningTokens = generation.reasoningTokens ?? 0;
  const argumentTokens = toolCalls.reduce((sum, call) => sum + call.fragments.length, 0);
  return {
    text: [],
    reasoningTokens,
    completionTokens: argumentTokens + reasoningTokens,
    finish: 'tool_calls',
  };
}

function composeSpeech(wish: Wish, generation: Generation): Speech {
  const reasoning = generation.reasoningTokens ?? 0;
  if (wish.schema !== undefined) {
    // A JSON answer cut short would be a fault, so only prose obeys the request's limit.
    const text = fragmentsOf(JSON.stringify(sampleOf(wish.schema)), fragmentCharacters);
    return { text, reasoningTokens: reasoning, completionTokens: text.length + reasoning, finish: 'stop' };
  }
  const given = generation.text === undefined ? undefined : piecesOf(generation.text);
  const natural = given === undefined ? generation.tokens : given.length + reasoning;
  const wanted = natural ?? Math.min(wish.limit ?? usualTokens, mostTokens);
  const completionTokens = Math.min(wanted, wish.limit ?? wanted);
  const reasoningTokens = Math.min(reasoning, completionTokens);
  const textTokens = completionTokens - reasoningTokens;
  // Without a length of its own the answer runs until the limit stops it.
  const isCut = completionTokens < wanted || (natural === undefined && completionTokens === wish.limit);
  return {
    text: given?.slice(0, textTokens) ?? stockWords(textTokens, generation.nonAscii === true),
    reasoningTokens,
    completionTokens,
    finish: isCut ? 'length' : 'stop',
  };
}
