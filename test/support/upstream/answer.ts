/** What the double can be told to answer: made up or replayed, faulty or sound, and in what pieces. */
import type { Fault, FaultName } from './faults/fault.ts';
import type { Recording } from './recordings/recording.ts';

interface Delivery {
  /** Goes wrong in this way; a name alone takes that fault's defaults. */
  readonly fault?: FaultName | Fault;
  readonly shape?: Shape;
  /** Added to the answer's headers, or put in place of them. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** `{}` is a sound, made-up answer. */
export type Answer =
  | (Delivery & { readonly generate?: Generation; readonly replay?: never })
  | (Delivery & { readonly replay: Recording; readonly generate?: never });

/** A made-up answer, the same for the same request. */
export interface Generation {
  /** Completion tokens; without it the request's own limit (at most 4,096), and 16 when it has none. */
  readonly tokens?: number;
  /** Answers this text instead of stock words; each word with its leading space is one token. */
  readonly text?: string;
  /** Stock words from emoji, CJK and other scripts. */
  readonly nonAscii?: boolean;
  /** Input tokens to report; without it a quarter of the request's bytes. */
  readonly promptTokens?: number;
  /** Part of the input tokens. */
  readonly cachedTokens?: number;
  /** Part of the completion tokens, added to them when the text is given. */
  readonly reasoningTokens?: number;
  /** Sends the reasoning as text of its own instead of hiding it. */
  readonly showReasoning?: boolean;
  /** How many tools to call when the request offers some, asked to or not; 1 when it demands a call. */
  readonly toolCalls?: number;
  /** Streams the argument pieces of parallel calls in turns instead of one call after another. */
  readonly interleaveToolCalls?: boolean;
  /** Refuses with these words, where the protocol has a place for words; no tool is called then. */
  readonly refusal?: string;
  /** Reports usage at the request's wish, or against it. */
  readonly usage?: 'when_asked' | 'always' | 'never';
  /** Names another model in the answer than the one asked for. */
  readonly model?: string;
  /** Of a stored response, as servers write it that draw a short number. */
  readonly responseId?: string;
}

export interface Shape {
  readonly headerDelayMs?: number;
  /** Between the headers and the first piece of the body. */
  readonly firstDelayMs?: number;
  /** Before each further piece. */
  readonly chunkDelayMs?: number;
  /** So many of the last writes, and all of a whole answer, wait until this settles. */
  readonly hold?: { readonly until: Promise<unknown>; readonly lastWrites: number };
  readonly writes?: Writes;
  readonly lineEnds?: 'lf' | 'crlf';
  /** An SSE comment before every event. */
  readonly comment?: string;
  /** An `event:` line of this name on every event that has none. */
  readonly eventName?: string;
}

/**
 * How the body is cut into writes: one an event (the default), all in one, every n bytes (through characters and
 * events alike), or at places drawn from a seed.
 */
export type Writes =
  | 'event'
  | 'joined'
  | { readonly everyBytes: number }
  | { readonly seed: number; readonly maxBytes?: number };
