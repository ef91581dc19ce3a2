/** An answer of bytes, such as speech, up to its first piece, and the body that passes it on. */
import type { AppError } from '../base/errors.ts';
import type { Usage } from '../base/token-usage.ts';
import type { UpstreamComplaint } from '../protocols/translator.ts';
import { invalidAnswerFailure, refusalFailure } from '../routing/index.ts';
import { readShortText } from './ask-upstream.ts';
import type { Exchange } from './exchange.ts';
import type { UpstreamCall } from './upstream-call.ts';
import { UpstreamFailedError } from './upstream-failed-error.ts';

/** Bytes whose first piece has come. */
export interface OpenBytes {
  readonly kind: 'bytes';
  readonly call: UpstreamCall;
  readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly head: Uint8Array;
  readonly contentType: string;
  /** Known from the request: the upstream has done the whole work once it begins to answer. */
  readonly usage: Usage;
  /** When no more than so many bytes were delivered, because the upstream broke off. */
  usageOfPart(bytes: number): Usage;
}

export interface BytesOpening {
  readonly call: UpstreamCall;
  readonly contentType: string;
  readonly usage: Usage;
  usageOfPart(bytes: number): Usage;
  readonly secret: string | null;
  /** Of a content type: it names what was not asked for. */
  isOther(type: string): boolean;
  readComplaint(body: string): UpstreamComplaint | null;
}

/** @throws UpstreamFailedError when text, other bytes or nothing came. */
export async function openBytes(response: Response, opening: BytesOpening): Promise<OpenBytes> {
  const { call, contentType, usage, usageOfPart, secret } = opening;
  const type = response.headers.get('content-type') ?? '';
  if (response.body === null || /^(?:application\/json|text\/)/.test(type)) {
    const complaint = opening.readComplaint(await readShortText(response, call));
    throw new UpstreamFailedError(
      complaint === null
        ? invalidAnswerFailure(`audio was asked for, and ${type || 'nothing'} came`)
        : refusalFailure({ status: 200, complaint, secret }),
    );
  }
  if (opening.isOther(type)) {
    throw new UpstreamFailedError(invalidAnswerFailure(`${contentType} was asked for, and ${type} came`));
  }
  const reader = response.body.getReader();
  while (true) {
    const { done, value } = await reader.read();
    if (done) throw new UpstreamFailedError(invalidAnswerFailure('the answer has no bytes'));
    if (value.length === 0) continue;
    // From here on the client sets the pace; its silence is not the upstream's.
    call.receivedPiece(true);
    return { kind: 'bytes', call, reader, head: value, contentType, usage, usageOfPart };
  }
}

/** A pull-based stream. An upstream that breaks off breaks the client's connection: bytes have no place for an error. */
export function relayBytes(bytes: OpenBytes, exchange: Exchange): ReadableStream<Uint8Array> {
  const { call, reader, usage } = bytes;
  let head: Uint8Array | null = bytes.head;
  let delivered = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (head !== null) {
          delivered += head.length;
          controller.enqueue(head);
          head = null;
          return;
        }
        try {
          call.awaitPiece();
          const { done, value } = await reader.read();
          call.receivedPiece(true);
          if (!done) {
            delivered += value.length;
            return controller.enqueue(value);
          }
          call.close();
          exchange.end({ status: 200, outcome: 'complete', usage });
          controller.close();
        } catch (thrown) {
          breakOff(call.failureOf(thrown).error);
          // Without a reason, since the runtime prints one, with the upstream's address, past the log.
          controller.error();
        }
      },
      cancel() {
        call.cancel();
        exchange.end({ status: 200, outcome: 'client_closed', usage });
      },
    },
    { highWaterMark: 0 },
  );

  function breakOff(error: AppError): void {
    call.cancel();
    const part = bytes.usageOfPart(delivered);
    exchange.end({ status: 200, outcome: 'upstream_failed', errorCode: error.code, usage: part });
  }
}
