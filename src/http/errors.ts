/** What becomes of a request that gets no answer, as far as whoever asked can go by it. */

/** What a server sent is no answer, or not all of one: it has begun to answer, and may have worked. */
export class AnswerError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'AnswerError';
    this.code = code;
  }
}

/** A connection was of no use before anything of an answer came. */
export class ConnectionError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'ConnectionError';
    this.code = code;
  }
}

/**
 * Nothing of the request was sent, or it was aborted before all of it was: nobody can have worked on it. Its name, code and
 * message are its cause's.
 */
export class UnsentError extends Error {
  readonly code: unknown;

  constructor(cause: Error & { readonly code: unknown }) {
    super(cause.message, { cause });
    this.name = cause.name;
    this.code = cause.code;
  }
}
