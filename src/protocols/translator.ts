/**
 * The two sides of a relayed request. A client protocol reads requests and writes errors; a translator joins one
 * client protocol with one upstream protocol. README.md in this folder says how they fit together.
 */
import type { AppError } from '../base/errors.ts';
import type { ExtrasSoFar, TokenUsage } from '../base/token-usage.ts';
import type { TextSample } from './frames/generated-text.ts';
import type { RepeatedFrames } from './frames/repeated-frames.ts';
import type { StreamPosition } from './turn/events.ts';
import type { ModelFacts } from './turn/request.ts';

/** A checked request in the caller's protocol, with what every later step needs from it. */
export interface InferenceRequest {
  /** The body exactly as it came. */
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
  readonly model: string;
  readonly stream: boolean;
  /** The caller asked for usage inside the stream. */
  readonly wantsStreamUsage: boolean;
  /**
   * Takes a whole response of the Responses protocol, as the client gets it, where it is to be kept.
   * @param isMadeHere whether its vendor knows nothing of it although its upstream speaks the protocol.
   */
  readonly keep?: (response: string, isMadeHere?: boolean) => void;
  /** The response that this request continued, before what was said in it was put in front. */
  readonly repliesTo?: string;
}

/** How a protocol shows an error to its client. */
export interface ErrorWriter {
  /** The JSON body of an error answer. */
  writeBody(error: AppError, requestId: string): string;
  /**
   * Whole stream frames that tell of an error after the answer has begun.
   * @param position of the client in the stream that they end.
   */
  writeFrames(error: AppError, requestId: string, position?: StreamPosition): string;
}

/** A whole answer, ready for the client. */
export interface WholeAnswer {
  readonly body: string;
  /** Null when the upstream gave none. */
  readonly usage: TokenUsage | null;
  /** All that was generated, to be counted when usage is null; empty when it is not. */
  readonly generated: string;
}

/** What an upstream said instead of an answer, in a refusal's body, a 200 or the middle of a stream. */
/**
 * Characters of an upstream's words that are looked at and passed on, from their beginning. They can be as long as an
 * answer, and a pattern may take the square of their length.
 */
export const mostComplaintCharacters = 2000;

export interface UpstreamComplaint {
  readonly message: string;
  readonly code: string | null;
  readonly type: string | null;
  readonly param: string | null;
  /** The status that the complaint itself carries, if any. */
  readonly status: number | null;
  /** After how long to ask again, where the complaint itself says so; not bounded yet. */
  readonly retryAfterSeconds?: number;
}

/** Reads one upstream stream; fed with blocks of whole frames in order. */
export interface StreamTranslator {
  /**
   * What the client is to receive for this block, up to an error in it; may be empty.
   * @param frames how many it has, where each says something and that is known.
   */
  push(block: Buffer, frames?: number): Uint8Array;
  /** Something the client can see was generated: from here on there is no other provider to turn to. */
  readonly hasContent: boolean;
  /** Frames that need not be looked at: neither for what this reads, nor whether they are JSON. */
  readonly repeated?: RepeatedFrames;
  /** The upstream said that it is done, so that its end is a clean one. */
  readonly isComplete: boolean;
  /** A text was told to its end, in protocols whose counts come with an end that may be long. */
  readonly isTextDone?: boolean;
  /** Nothing more is to come, so that there is no use in waiting for the connection to end. */
  readonly isEnded: boolean;
  readonly complaint: UpstreamComplaint | null;
  /** As the upstream told it at the end; null until then. */
  readonly usage: TokenUsage | null;
  /** What it told so far: of the prompt, and of a part of the output; null when it has told nothing. */
  readonly usageSoFar: TokenUsage | null;
  /** What it told so far of what costs more than tokens; absent where a protocol tells nothing of it before its end. */
  readonly extrasSoFar?: ExtrasSoFar | undefined;
  /** Grows whenever something is generated. */
  readonly generatedCharacters: number;
  /** What was generated, to be counted where the upstream does not tell. */
  sampleGenerated(): TextSample;
  /** What the client's protocol still needs after a clean end; may be empty. */
  end(): Uint8Array;
  /** A sign of life for a client that has heard nothing for a while; a comment where the protocol has none. */
  idle?(): Uint8Array;
  /** Behind what the client was given; absent where frames have no numbers. */
  position?(): StreamPosition | undefined;
}

/** One pair of protocols. */
export interface Translator {
  /**
   * The upstream's request body.
   * @throws AppError invalid_parameter when the upstream's protocol cannot carry what the request asks for.
   */
  writeRequest(request: InferenceRequest, upstreamId: string, facts?: ModelFacts): string;
  /**
   * @throws UnreadableAnswerError when the body is not an answer of the upstream's protocol.
   * @throws ComplaintError when it is an error in spite of its status.
   */
  readAnswer(body: string, request: InferenceRequest): WholeAnswer;
  openStream(request: InferenceRequest): StreamTranslator;
  /** What the body of a refusal says; null when it says nothing in the protocol's form. */
  readComplaint(body: string): UpstreamComplaint | null;
}

export class UnreadableAnswerError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'UnreadableAnswerError';
  }
}

export class ComplaintError extends Error {
  readonly complaint: UpstreamComplaint;

  constructor(complaint: UpstreamComplaint) {
    super(complaint.message);
    this.name = 'ComplaintError';
    this.complaint = complaint;
  }
}

/** Of an upstream that says it is done, and never said how its answer ended. */
export const unfinishedAnswer: UpstreamComplaint = {
  message: 'The provider ended its stream without saying how the answer ended.',
  code: null,
  type: null,
  param: null,
  status: null,
};

/** Of an upstream that sends a stream frame nobody can read. */
export const brokenFrame: UpstreamComplaint = {
  message: 'The provider sent a piece of its answer that cannot be read.',
  code: null,
  type: null,
  param: null,
  status: null,
};
