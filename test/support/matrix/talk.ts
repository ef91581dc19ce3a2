/** A conversation as a scenario leads it, whatever official client carries it. */
import type { TestSluice } from '../sluice.ts';

export interface TalkOptions {
  /** Another than the one that the talk was opened with. */
  readonly model?: string;
  readonly system?: string;
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly stop?: string;
  readonly tools?: readonly ToolSpec[];
  /** The tool that must be called. */
  readonly demands?: string;
  readonly thinks?: boolean;
  /** Base64 of a PNG, shown before the words. */
  readonly image?: string;
  /** The answer is to be JSON that fits. */
  readonly schema?: Readonly<Record<string, unknown>>;
}

export interface ToolSpec {
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>> & { readonly type: 'object' };
}

export interface Heard {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly Call[];
  readonly stop: 'end' | 'length' | 'tools' | 'refusal' | 'other';
  /** The sequence that was met, where the client's protocol tells it. */
  readonly stopSequence: string | null;
  readonly usage: {
    /** With what the cache served. */
    readonly input: number;
    readonly cached: number;
    readonly output: number;
  };
}

export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** Keeps its history as the client got it, and sends it back so. */
export interface Talk {
  say(words: string, options?: TalkOptions): Promise<Heard>;
  /** One result for each call, in order. */
  answer(calls: readonly Call[], results: readonly string[], options?: TalkOptions): Promise<Heard>;
}

export interface MatrixClient {
  readonly name: string;
  readonly endpoint: string;
  /** The upstream protocol that is its own, so that bytes pass through. */
  readonly protocol: string;
  /** Whether who wants thinking also asks to see it, or says only how much. */
  readonly asksToSee: boolean;
  /** Whether its protocol has stop sequences. */
  readonly stops: boolean;
  /** Whether its protocol says which one was met. */
  readonly namesStop: boolean;
  open(sluice: TestSluice, model: string, streamed: boolean): Talk;
}
