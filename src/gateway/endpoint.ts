/**
 * What an endpoint is, as data: where it is, who may ask, how a request is read, which models it concerns, and its work.
 * Whatever is true of every request (callers, limits, settlement) is in pipeline.ts and in no endpoint.
 */
import type { HeldBytes } from '../base/byte-budget.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { TokenUsage } from '../base/token-usage.ts';
import type { Model, ModelType, MostUsage, Prices } from '../catalogue/index.ts';
import type { Caller, KeyScope } from '../identity/index.ts';
import type { JsonObject } from '../protocols/json/fields.ts';
import type { ErrorWriter, InferenceRequest } from '../protocols/translator.ts';
import type { ModelFacts } from '../protocols/turn/request.ts';
import type { Supports } from '../providers/index.ts';
import type { Candidate, CanServe, Terms } from '../routing/index.ts';
import type { OpenBytes, OpenStream, UpstreamCall } from '../upstream/index.ts';
import type { ChargedUsage, StreamEstimate } from './estimate.ts';
import type { RequestFacts } from './request-facts.ts';
import type { GatewayServices } from './services.ts';
import type { HeldState } from './session.ts';

/** A request as it came in. */
export interface Arrival {
  readonly http: Request;
  /** What stood in the places that the endpoint's path leaves open, such as `:id`. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** A request that is let in, and whose body is to be read. */
export interface Reading extends Arrival {
  /** Takes what is read of the body, until the request ends. */
  readonly held: HeldBytes;
}

/** A checked request, as far as the pipeline needs to know it. */
export interface Asked {
  /** As the caller wrote it; null for the first model of the endpoint's type. */
  readonly model: string | null;
  readonly stream: boolean;
  /** The parsed body, which is held as long as the request goes on; absent where there was none in JSON. */
  readonly json?: JsonObject;
}

interface AnyEndpoint<Ask> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Literal, or with open places as Hono writes them: `/v1/models/:id{.+}`. */
  readonly path: string;
  /** What metrics and usage rows call it, where that is not its path. */
  readonly name?: string;
  /** Where it is too. */
  readonly otherPaths?: readonly string[];
  /** One of them is enough. */
  readonly scopes: readonly KeyScope[];
  readonly errors: ErrorWriter;
  /** Where the client's headers say which protocol it speaks, and `errors` is only the usual one. */
  errorsFor?(headers: Headers): ErrorWriter;
  /** The token, where clients of this endpoint send it in a place of their own; null when it is not there. */
  findToken?(http: Request): string | null;
  /** Gives an answer, errors included, the form that the request's address asks for. */
  reshape?(response: Response, http: Request): Response;
  /** @throws AppError for protocol headers that cannot be. */
  checkHeaders?(headers: Headers): void;
  /** @throws AppError for what is not a valid request. */
  readRequest(reading: Reading, services: GatewayServices): MaybePromise<Ask>;
}

/** How long the answers of a request may get, thoughts included. */
export interface AnswerBound {
  /** Of each answer. */
  readonly tokens: number;
  readonly choices: number;
  /** The caller said so; else it is the model's. */
  readonly isAsked: boolean;
}

export interface RequestBound {
  readonly usage: MostUsage;
  /** Null where an answer has no length that could be bounded. */
  readonly answer: AnswerBound | null;
}

/** Who may serve a request. */
export interface Serving {
  readonly model: Model;
  readonly candidates: readonly Pick<Candidate, 'supports'>[];
}

/** Providers do the work, and it is paid for: there is a wallet to ask, and a usage row to write. */
export interface PaidEndpoint<Ask extends Asked> extends AnyEndpoint<Ask> {
  readonly kind: 'paid';
  readonly modelType: ModelType;
  /** What a model must be able to do, where `auto` is a model of this endpoint. */
  neededCapabilities?(ask: Ask): readonly string[];
  canServe(supports: Supports): boolean;
  /** Whether all members of a request reach who serves it so; absent where nobody could say. */
  takesAll?(json: JsonObject): CanServe;
  /** What the request needs and the catalogue does not say of a model; it is asked all the same where it is named. */
  lacks?(ask: Ask, model: Model): readonly string[];
  /** What of an upstream's own a request goes on with. */
  heldState?(ask: Ask): HeldState | null;
  /** Whether who serves it so can go on only with what the upstream holds. */
  needsState?(supports: Supports): boolean;
  /** What a limit on tokens reserves: what the request may come to use, told in bounded time. */
  expectedTokens(ask: Ask, model: Model): number;
  /** With what it refers to, as far as that is kept here: what is set aside is told from it. */
  asSent?(ask: Ask, asking: Pick<Asking<Ask>, 'caller' | 'services' | 'held'>): Ask;
  /** The most that it can use, told at once in bounded time: what is set aside for it is the price of that. */
  mostUsage(ask: Ask, serving: Serving): RequestBound;
  /** A closer look, for when the most cannot be paid. */
  countedUsage?(ask: Ask, serving: Serving): MaybePromise<RequestBound>;
  /** The request with answers of at most so many tokens each; null where an upstream could not be told. */
  capOutput?(ask: Ask, tokens: number): Ask | null;
  /**
   * For those who pay: the request without what the model has no price for, and what that was.
   * @throws AppError model_unpriced where it cannot do without.
   */
  fitToPrices?(ask: Ask, model: Model, prices: Prices): Fitted<Ask>;
  /**
   * One try at one provider, up to its first content.
   * Throws whatever goes wrong: the upstream room knows what each means.
   */
  ask(asking: Asking<Ask>): Promise<Served>;
}

export interface Fitted<Ask> {
  readonly request: Ask;
  /** As the caller spelt it; told in the answer's headers. */
  readonly leftOut: readonly string[];
}

/** The gateway answers by itself, or with a little help, and nobody pays. */
export interface FreeEndpoint<Ask, Subject> extends AnyEndpoint<Ask> {
  readonly kind: 'free';
  /** Whether requests count against the key's limits. */
  readonly isLimited: boolean;
  /** The model or models that a request is about. @throws AppError model_not_found or model_not_allowed. */
  findSubject(ask: Ask, asking: SubjectAsking): Subject;
  /** Where requests can want something of who answers them, as at a paid endpoint. */
  takesAll?(json: JsonObject): CanServe;
  answer(question: Question<Ask, Subject>): MaybePromise<FreeAnswer>;
}

export interface SubjectAsking {
  readonly caller: Caller;
  /** What the request may be served by. */
  readonly terms: Terms;
  /** To fall back on. */
  readonly models: readonly string[];
  readonly facts: RequestFacts;
  readonly services: GatewayServices;
}

/** What one try at one provider goes by. */
export interface Asking<Ask> {
  readonly request: Ask;
  readonly caller: Caller;
  readonly model: Model;
  /** What the request pays by at this provider; null where that has no price. */
  readonly prices: Prices | null;
  readonly call: UpstreamCall;
  /** Of the model, for requests that are converted. */
  readonly facts: ModelFacts;
  /** The caller's own. */
  readonly headers: Headers;
  readonly services: GatewayServices;
  /** Takes what the request grows by, until it ends. */
  readonly held: HeldBytes;
  /** Where the rest of a stream is to be asked for should it break off: what takes the text that is kept for that. */
  readonly rescueRoom: HeldBytes | null;
  /**
   * To be called before a provider is asked: what a caller pays that leaves before there is an answer.
   * @param done of an answer that takes several calls: what those cost that are over, whatever becomes of the next one.
   */
  owes(asked: () => ChargedUsage, done?: () => ChargedUsage | undefined): void;
}

/** What an answer that is free goes by. */
export interface Question<Ask, Subject> {
  readonly request: Ask;
  readonly subject: Subject;
  readonly caller: Caller;
  readonly http: Request;
  readonly facts: RequestFacts;
  readonly services: GatewayServices;
}

/** JSON. */
export interface FreeAnswer {
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A whole answer, ready for the client. */
export interface WholeAnswered {
  readonly kind: 'whole';
  readonly body: string;
  readonly contentType: string;
  readonly usage: ChargedUsage;
}

/** A stream whose first content has come. */
export interface StreamAnswered {
  readonly kind: 'stream';
  readonly stream: OpenStream;
  readonly estimate: StreamEstimate;
  /** Absent where it cannot be gone on with, or is not to be. */
  readonly rest?: RestOfStream;
}

/** How the rest of a stream is asked for; made with the stream by the endpoint that knows its protocol. */
export interface RestOfStream {
  readonly endpoint: PaidEndpoint<InferenceRequest>;
  /** Whether what its client has been shown until now can be gone on with. */
  readonly isContinuable: boolean;
  /** How long the rest may be, where the request bounds its answer. */
  tokensLeft(usedTokens: number): number | null;
  /** The longest request that the rest is asked for with, for what is to be set aside. */
  request(capTokens: number | null): InferenceRequest;
  /** One try. @throws as `PaidEndpoint.ask` does. */
  ask(asking: Omit<Asking<InferenceRequest>, 'request'>, terms: RestTerms): Promise<StreamAnswered>;
}

export interface RestTerms {
  /** The code of the error that broke the answer off. */
  readonly after: string;
  readonly usageBefore: TokenUsage;
  readonly capTokens: number | null;
}

/** Bytes whose first piece has come. */
export interface BytesAnswered {
  readonly kind: 'bytes';
  readonly bytes: OpenBytes;
  /** Known from the request: the upstream has done the whole work once it begins to answer. */
  readonly usage: ChargedUsage;
  /** When no more than so many bytes were delivered, because the upstream broke off. */
  usageOfPart(bytes: number): ChargedUsage;
}

export type Served = WholeAnswered | StreamAnswered | BytesAnswered;

/** Scopes of keys that may have models work. */
export const inferenceScopes: readonly KeyScope[] = ['inference', 'webchat'];
