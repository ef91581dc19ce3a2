/** Answers of the account API: JSON, never kept, and named by a request id. */

export interface Answer {
  readonly status: number;
  /** JSON, whole or as it is read; null for none. */
  readonly body: string | ReadableStream<Uint8Array> | null;
  readonly requestId: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function writeAnswer({ status, body, requestId, headers = {} }: Answer): Response {
  return new Response(body, {
    status,
    headers: {
      ...(body !== null && { 'content-type': 'application/json; charset=utf-8' }),
      'x-request-id': requestId,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
  });
}
