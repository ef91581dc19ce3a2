/** A recorded answer, whole or as a stream or both. */

export interface Recording {
  readonly name: string;
  /** The answer's JSON text. */
  readonly whole: string | undefined;
  /** SSE events in order, each its lines without the blank line that ends it. */
  readonly events: readonly string[] | undefined;
}
