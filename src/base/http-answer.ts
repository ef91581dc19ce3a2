/** What is read of an answer that a provider gave: the runtime's `Response` is one, and so are those of our own client. */
export interface HttpAnswer {
  readonly status: number;
  /** Whether the status is one of success. */
  readonly ok: boolean;
  readonly headers: HttpFields;
  /** Null for an answer without one. To be read once, by whichever way. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
  text(): Promise<string>;
  /** What the reader of `body` would be, at a part of its price; null where there is only that one. */
  reader?(): BodyReader | null;
  /** Takes all of the body, once, where it has come by now; null where it is to be awaited, or is read as a stream. */
  takeWhole?(): Uint8Array | null;
}

/** What a stream's reader is, as far as anybody here needs it. */
export interface BodyReader {
  read(): Promise<BodyPiece>;
  /** Nobody reads the rest. */
  cancel(): Promise<void>;
}

export type BodyPiece =
  | { readonly done: false; readonly value: Uint8Array<ArrayBuffer> }
  | { readonly done: true; readonly value?: undefined };

/** Null where there is no body. */
export const readerOf = (message: Pick<HttpAnswer, 'body' | 'reader'>): BodyReader | null =>
  message.reader?.() ?? message.body?.getReader() ?? null;

export interface HttpFields {
  /** In any case of letters; null where there is no such field, and joined by commas where there are several. */
  get(name: string): string | null;
}
