/** The body of an answer in bytes: pulled by the client, piece by piece, and settled when it ends, however it ends. */
import type { AppError } from '../base/errors.ts';
import type { OpenBytes } from '../upstream/index.ts';
import type { RequestFacts } from './request-facts.ts';
import type { GatewayServices } from './services.ts';
import { type RequestEnd, settleRequest } from './settle-request.ts';

/** A pull-based stream. An upstream that breaks off breaks the client's connection: bytes have no place for an error. */
export function relayBytes(
  bytes: OpenBytes,
  { facts, services }: { readonly facts: RequestFacts; readonly services: GatewayServices },
): ReadableStream<Uint8Array> {
  const { call, reader, usage } = bytes;
  let head: Uint8Array | null = bytes.head;
  let delivered = 0;
  const end = (how: RequestEnd) => settleRequest(facts, how, services);
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
          await services.turns.next();
          call.awaitPiece();
          const { done, value } = await reader.read();
          call.receivedPiece(true);
          if (!done) {
            delivered += value.length;
            return controller.enqueue(value);
          }
          call.close();
          end({ status: 200, outcome: 'complete', usage });
          controller.close();
        } catch (thrown) {
          breakOff(call.failureOf(thrown).error);
          // Without a reason, since the runtime prints one, with the upstream's address, past the log.
          controller.error();
        }
      },
      cancel() {
        call.cancel();
        end({ status: 200, outcome: 'client_closed', usage });
      },
    },
    { highWaterMark: 0 },
  );

  function breakOff(error: AppError): void {
    call.cancel();
    const part = bytes.usageOfPart(delivered);
    end({ status: 200, outcome: 'upstream_failed', errorCode: error.code, usage: part });
  }
}
