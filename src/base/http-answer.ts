/** What is read of an answer that a provider gave: the runtime's `Response` is one, and so are those of our own client. */
export interface HttpAnswer {
  readonly status: number;
  /** Whether the status is one of success. */
  readonly ok: boolean;
  readonly headers: HttpFields;
  /** Null for an answer without one. To be read once, by whichever way. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
  text(): Promise<string>;
  /** Takes all of the body, once, where it has come by now; null where it is to be awaited, or is read as a stream. */
  takeWhole?(): Uint8Array | null;
}

export interface HttpFields {
  /** In any case of letters; null where there is no such field, and joined by commas where there are several. */
  get(name: string): string | null;
}
