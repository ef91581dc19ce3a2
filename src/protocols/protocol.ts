/** What a protocol offers to conversions: the client's half, the upstream's half, or both. */
import type { ExtrasSoFar } from '../base/token-usage.ts';
import type { JsonObject } from './json/fields.ts';
import type { InferenceRequest, Translator, UpstreamComplaint } from './translator.ts';
import type { TurnAnswer } from './turn/answer.ts';
import type { EventWriter, TurnEvent } from './turn/events.ts';
import type { ModelFacts, TurnRequest } from './turn/request.ts';

/** A protocol that callers speak. */
export interface ClientProtocol {
  readonly name: string;
  /** What ids of its answers begin with; absent where they may be anything. */
  readonly answerIdPrefix?: string;
  /**
   * @param text what `json` was parsed from, where what tools are given keeps how its numbers are spelled.
   * @throws AppError invalid_parameter, with the field, for what cannot be read.
   */
  readRequest(json: JsonObject, text?: string): TurnRequest;
  /** @param request what was asked, since some protocols repeat it in the answer. */
  writeAnswer(answer: TurnAnswer, request: InferenceRequest): string;
  openWriter(request: InferenceRequest): EventWriter;
}

/** A protocol that upstreams speak. */
export interface UpstreamProtocol {
  readonly name: string;
  /**
   * How many stop sequences are surely taken; absent where all are. Answers to requests with more are cut here. `none`:
   * the protocol has no place for them. `by model`: some models refuse any. `not blank`: those of blanks alone are refused.
   */
  readonly stopSequences?: 'none' | 'by model' | 'not blank' | number;
  /** Takes tools whose names have more than the 64 characters of most. */
  readonly longToolNames?: true;
  /** What names of tools look like, where not all of letters, digits, `_` and `-` is taken. */
  readonly toolNames?: RegExp;
  /** The members of an answer in which the arguments of a call stand as an object. */
  readonly argumentMembers: readonly string[];
  /** @throws AppError invalid_parameter for what the protocol cannot hold and the request cannot do without. */
  writeRequest(turn: TurnRequest, model: UpstreamModel): string;
  /**
   * @throws UnreadableAnswerError when it is not an answer of the protocol.
   * @throws ComplaintError when it is an error in spite of its status.
   */
  readAnswer(json: unknown): TurnAnswer;
  openReader(): EventReader;
  /** What the body of a refusal says; null when it says nothing in the protocol's form. */
  readComplaint(body: string): UpstreamComplaint | null;
  /** For clients that speak the same protocol; null where there are none, so that every pair is converted. */
  readonly passthrough: Translator | null;
  /** What the upstream would refuse although it is of its protocol: converted too, since the form has a place for it. */
  mustConvert?(request: InferenceRequest): boolean;
  /**
   * What the model behind it would refuse in this protocol alone: where another is offered too, it is asked in that.
   * @param isForeign the request is of another protocol, and known by the tools that it declares.
   */
  refuses?(request: InferenceRequest, upstreamId: string, isForeign: boolean): boolean;
}

/** A protocol that clients speak too. */
export interface PassingProtocol extends UpstreamProtocol {
  readonly passthrough: Translator;
}

export interface UpstreamModel extends ModelFacts {
  readonly id: string;
}

/** Turns the frames of one stream into events. */
export interface EventReader {
  /** Adds what the data of one frame tells to `events`. */
  read(data: string, events: TurnEvent[]): void;
  /** Adds what is still due after a clean end that the upstream did not announce. */
  finish(events: TurnEvent[]): void;
  /** The upstream said that it is done. */
  readonly isComplete: boolean;
  /** Whether its counts are of all that was generated, of readers that can be complete before; absent: `isComplete`. */
  readonly isCounted?: boolean;
  /** As `StreamTranslator` has it. */
  readonly isTextDone?: boolean;
  /** As `StreamTranslator` has it. */
  readonly extrasSoFar?: ExtrasSoFar | undefined;
  /** Nothing more is to come. */
  readonly isEnded: boolean;
  readonly complaint: UpstreamComplaint | null;
  /** Of readers that do not pass on all that was generated: whoever counts it hears all of it. */
  tellGenerated?(hear: (text: string, isThought: boolean) => void): void;
}

/** The native counting of tokens: asked with the body that a chat request of `chat` would have. */
export interface CountTokensUpstream {
  readonly chat: UpstreamProtocol;
  /** What is counted, from the chat request's body. */
  writeRequest(chatBody: string, model: string): string;
  /** Null when the answer has no count. */
  readCount(json: unknown): number | null;
}
