/** Plays one answer's steps onto its connection, and stops the moment the client is gone. */
import type { Connection } from '../http/connection.ts';
import type { Piece } from './cut-pieces.ts';
import { asChunk, type Step } from './plan-steps.ts';

export type Outcome =
  /** All of the answer was handed to the kernel. */
  | 'answered'
  /** The client went first. */
  | 'client_closed'
  /** The answer's own fault ended the connection. */
  | 'broken_off'
  /** The double was stopped. */
  | 'stopped';

export interface Audience {
  /** Comes before the piece's bytes reach the socket, so that no client can know them before the counts do. */
  saying(piece: Piece): void;
  end(outcome: Outcome): void;
}

const keepAlive = asChunk(Buffer.from(': keep-alive\n\n'));
const silent = { events: 0, tokens: 0, usage: undefined };

export class Playback {
  readonly #steps: readonly Step[];
  readonly #connection: Connection;
  readonly #audience: Audience;
  #index = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  constructor(steps: readonly Step[], connection: Connection, audience: Audience) {
    this.#steps = steps;
    this.#connection = connection;
    this.#audience = audience;
  }

  start(): void {
    this.#connection.whenClosed(() => this.halt('client_closed'));
    this.#play();
  }

  halt(outcome: Outcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#audience.end(outcome);
  }

  readonly #play = (): void => {
    const step = this.#steps[this.#index];
    if (this.#isOver || step === undefined) return;
    this.#index += 1;
    switch (step.kind) {
      case 'wait':
        this.#timer = setTimeout(this.#play, step.delayMs);
        return;
      case 'hold':
        void step.until.then(this.#play);
        return;
      case 'write':
        this.#say(step, this.#goOn);
        return;
      case 'complete':
        this.halt('answered');
        this.#connection.answered();
        return;
      case 'close':
        this.halt('broken_off');
        this.#connection.close();
        return;
      case 'reset':
        this.halt('broken_off');
        this.#connection.reset();
        return;
      case 'stall':
        if (step.commentEveryMs !== undefined) this.#murmur(step.commentEveryMs);
    }
  };

  /** A turn of the event loop between two writes lets the client read the first by itself. */
  readonly #goOn = (): void => {
    if (this.#steps[this.#index]?.kind === 'write') setImmediate(this.#play);
    else this.#play();
  };

  #say(piece: Piece, onFlushed: () => void): void {
    this.#audience.saying(piece);
    this.#connection.write(piece.bytes, onFlushed);
  }

  #murmur(everyMs: number): void {
    const comment = { bytes: keepAlive, ...silent };
    this.#timer = setTimeout(() => this.#say(comment, () => this.#murmur(everyMs)), everyMs);
  }
}
