/** Makes up what a model would say to a request, in no protocol's terms. */
import type { Generation } from '../answer.ts';
import type { Usage } from '../usage.ts';
import { sampleOf } from './sample-json.ts';
import { stopAtSequence } from './stop-at-sequence.ts';
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
  readonly stopSequences: readonly string[];
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
  /** Said instead of text. */
  readonly refusal: readonly string[];
  readonly toolCalls: readonly ToolCall[];
  readonly finish: 'stop' | 'length' | 'tool_calls' | 'refusal';
  /** The one that ended the text; the finish is `stop` then. */
  readonly stopSequence: string | null;
  readonly usage: Usage;
}

const usualTokens = 16;
const mostTokens = 4096;
const fragmentCharacters = 6;

export function composeTurn(wish: Wish, generation: Generation, number: number): Turn {
  const toolCalls = composeToolCalls(wish, generation, number);
  const speech = composeSpeech(wish, generation, toolCalls);
  const promptTokens = generation.promptTokens ?? Math.ceil(wish.bodyBytes / 4);
  return {
    reasoning: generation.showReasoning === true ? stockWords(speech.reasoningTokens, false) : [],
    text: speech.text,
    refusal: speech.refusal ?? [],
    toolCalls,
    finish: speech.finish,
    stopSequence: speech.stopSequence ?? null,
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
  if (tools.length === 0 || toolChoice === 'none' || generation.refusal !== undefined) return [];
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
  readonly refusal?: readonly string[];
  readonly stopSequence?: string | null;
  readonly reasoningTokens: number;
  /** Of one choice, reasoning included. */
  readonly completionTokens: number;
  readonly finish: Turn['finish'];
}

function composeSpeech(wish: Wish, generation: Generation, toolCalls: readonly ToolCall[]): Speech {
  if (toolCalls.length > 0) return callingSpeech(toolCalls, generation);
  if (generation.refusal !== undefined) return refusingSpeech(generation.refusal, generation);
  return wish.schema === undefined ? proseSpeech(wish, generation) : schemaSpeech(wish.schema, generation);
}

function refusingSpeech(words: string, generation: Generation): Speech {
  const refusal = piecesOf(words);
  const reasoningTokens = generation.reasoningTokens ?? 0;
  return {
    text: [],
    refusal,
    reasoningTokens,
    completionTokens: refusal.length + reasoningTokens,
    finish: 'refusal',
  };
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

/** A JSON answer cut short would be a fault, so only prose obeys the request's limit. */
function schemaSpeech(schema: unknown, generation: Generation): Speech {
  const reasoningTokens = generation.reasoningTokens ?? 0;
  const text = fragmentsOf(JSON.stringify(sampleOf(schema)), fragmentCharacters);
  return { text, reasoningTokens, completionTokens: text.length + reasoningTokens, finish: 'stop' };
}

function proseSpeech(wish: Wish, generation: Generation): Speech {
  const reasoning = generation.reasoningTokens ?? 0;
  const given = generation.text === undefined ? undefined : piecesOf(generation.text);
  const natural = given === undefined ? generation.tokens : given.length + reasoning;
  const wanted = natural ?? Math.min(wish.limit ?? usualTokens, mostTokens);
  const completionTokens = Math.min(wanted, wish.limit ?? wanted);
  const reasoningTokens = Math.min(reasoning, completionTokens);
  const textTokens = completionTokens - reasoningTokens;
  // Without a length of its own the answer runs until the limit stops it.
  const isCut = completionTokens < wanted || (natural === undefined && completionTokens === wish.limit);
  const text = given?.slice(0, textTokens) ?? stockWords(textTokens, generation.nonAscii === true);
  const { pieces, stopSequence } = stopAtSequence(text, wish.stopSequences);
  return {
    text: pieces,
    reasoningTokens,
    completionTokens: completionTokens - (text.length - pieces.length),
    finish: isCut && stopSequence === null ? 'length' : 'stop',
    stopSequence,
  };
}
