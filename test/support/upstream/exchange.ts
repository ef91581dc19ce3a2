/** One request the double received and what became of its answer. */
import type { Answer } from './answer.ts';
import type { Piece } from './delivery/cut-pieces.ts';
import type { Audience, Outcome } from './delivery/playback.ts';
import type { HttpRequest } from './http/request-reader.ts';
import { parseJson, readText } from './json.ts';
import { type Counts, stateUsage, type Usage } from './usage.ts';

export interface ReceivedRequest {
  /** From 1, in order of arrival. */
  readonly number: number;
  readonly method: string;
  readonly path: string;
  /** With its question mark, or empty. */
  readonly query: string;
  /** Names in lower case; a repeated header's values are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyText: string;
  /** The parsed body, or undefined when it is not JSON. */
  readonly body: unknown;
  /** The body as it came, for those that are no text. */
  readonly bytes: Uint8Array;
  /** Wherever the protocol names it. */
  readonly model: string | undefined;
  /** What the script chose; undefined for requests that are none of the script's business. */
  readonly answer: Answer | undefined;
  readonly writesSent: number;
  readonly eventsSent: number;
  readonly tokensSent: number;
  readonly bytesSent: number;
  /** The usage the client was told, once it was. */
  readonly usage: Usage | undefined;
  readonly outcome: Outcome | undefined;
  /** When the client left, seen from the answer; undefined while it has not left early. */
  readonly clientClosed: ClosingTime | undefined;
  /** Settles when the answer is over, one way or another. */
  readonly ended: Promise<Outcome>;
}

export type ClosingTime = 'before_first_byte' | 'after_headers' | 'after_first_event';

export class Exchange implements ReceivedRequest, Audience {
  readonly number: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyText: string;
  readonly body: unknown;
  readonly bytes: Uint8Array;
  model: string | undefined;
  answer: Answer | undefined;
  writesSent = 0;
  eventsSent = 0;
  tokensSent = 0;
  bytesSent = 0;
  usage: Usage | undefined;
  outcome: Outcome | undefined;
  clientClosed: ClosingTime | undefined;
  readonly ended: Promise<Outcome>;
  readonly #counts: Counts;
  readonly #settle: (outcome: Outcome) => void;

  constructor(number: number, request: HttpRequest, counts: Counts) {
    const [path = '', ...query] = request.target.split('?');
    this.number = number;
    this.method = request.method;
    this.path = path;
    this.query = query.length === 0 ? '' : `?${query.join('?')}`;
    this.headers = request.headers;
    this.bytes = request.body;
    this.bodyText = request.body.toString('utf8');
    this.body = this.bodyText === '' ? undefined : parseJson(this.bodyText);
    this.model = readText(this.body, 'model');
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.ended = promise;
    this.#settle = resolve;
    this.#counts = counts;
    counts.requests += 1;
    counts.bytesReceived += request.body.length;
  }

  saying(piece: Piece): void {
    this.writesSent += 1;
    this.eventsSent += piece.events;
    this.tokensSent += piece.tokens;
    this.bytesSent += piece.bytes.length;
    this.#counts.contentTokens += piece.tokens;
    this.#counts.bytesSent += piece.bytes.length;
    if (piece.usage === undefined) return;
    stateUsage(this.#counts, piece.usage, this.usage);
    this.usage = piece.usage;
  }

  end(outcome: Outcome): void {
    this.outcome = outcome;
    if (outcome === 'client_closed') this.clientClosed = this.#closingTime();
    this.#settle(outcome);
  }

  #closingTime(): ClosingTime {
    if (this.writesSent === 0) return 'before_first_byte';
    return this.eventsSent === 0 ? 'after_headers' : 'after_first_event';
  }
}
