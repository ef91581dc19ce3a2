/** What the double must know of a provider's protocol; each protocol is one folder beside this file. */
import type { Generation } from '../answer.ts';
import type { HttpRequest } from '../http/request-reader.ts';
import type { Reply, StreamEvent } from '../reply.ts';
import type { Usage } from '../usage.ts';

export interface ProtocolRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** With its question mark, or empty. */
  readonly query: string;
  readonly headers: HttpRequest['headers'];
  /** The parsed body, or undefined when it is not JSON. */
  readonly body: unknown;
  readonly bodyBytes: number;
  /** The body as it came. */
  readonly bytes: Uint8Array;
}

/** A refusal in the provider's terms; the protocol puts it in its own shape. */
export interface Problem {
  readonly status: number;
  readonly message: string;
  readonly type: string;
  readonly code: string | null;
  readonly param?: string;
  /** Fields some hosts add beside the message. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A request the protocol has read and found sound. */
export interface Call {
  readonly model: string;
  readonly stream: boolean;
  /** Equal for calls whose made-up answers may share their bytes; undefined when they may not. */
  readonly planKey: string | undefined;
  generate(generation: Generation, number: number): Reply;
}

export type Reading =
  | { readonly ok: true; readonly call: Call }
  | { readonly ok: false; readonly problem: Problem };

/** What one recorded message says about itself. */
export interface Statement {
  readonly usage: Usage | undefined;
  readonly tokens: number;
}

export interface Protocol {
  readonly name: string;
  serves(method: string, path: string): boolean;
  read(request: ProtocolRequest): Reading;
  /** The body of an error answer. */
  writeProblem(problem: Problem): string;
  problemHeaders?(problem: Problem): Readonly<Record<string, string>>;
  /**
   * The same inside a stream that has begun; `insideChunk` as the error field of an otherwise ordinary chunk, where
   * the protocol knows two ways. Absent where nothing streams, or no error can be told in a stream.
   */
  writeProblemEvent?(problem: Problem, insideChunk: boolean): StreamEvent;
  /** Reads a recorded whole answer, or the data of one recorded event; absent where none is ever replayed. */
  readStatement?(message: unknown): Statement;
}
