/** The bodies of answers that come in bytes, such as speech: pulled by the client, and settled when they end. */
import type { AppError } from '../base/errors.ts';
import type { BytesAnswered } from './endpoint.ts';
import { type RequestEnd, type RequestFacts, settleRequest } from './request-facts.ts';
import type { GatewayServices, Relaying } from './services.ts';

/** A pull-based stream. An upstream that breaks off breaks the client's connection: bytes have no place for an error. */
export function relayBytes(
  { bytes, usage, usageOfPart }: BytesAnswered,
  { facts, services }: { readonly facts: RequestFacts; readonly services: GatewayServices },
): ReadableStream<Uint8Array> {
  const { call, reader } = bytes;
  let head: Uint8Array | null = bytes.head;
  let delivered = 0;
  const end = (how: RequestEnd) => {
    stall.stop();
    services.relays.delete(relaying);
    settleRequest(facts, how, services);
  };
  const cancel = () => {
    call.cancel();
    end({ status: 200, outcome: 'client_closed', usage });
  };
  let interrupt: () => void = () => undefined;
  const { deadlines, settings } = services;
  const stall = deadlines.start(Number.POSITIVE_INFINITY, () => {
    cancel();
    interrupt();
  });
  const relaying: Relaying = {
    interrupt(error) {
      breakOff(error, 'interrupted');
      interrupt();
    },
  };
  services.relays.add(relaying);
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        interrupt = () => controller.error();
      },
      async pull(controller) {
        if (head !== null) {
          delivered += head.length;
          controller.enqueue(head);
          head = null;
          stall.extend(settings.clientStallMs);
          return;
        }
        stall.extend(Number.POSITIVE_INFINITY);
        try {
          call.awaitPiece();
          const { done, value } = await reader.read();
          call.receivedPiece(true);
          const turn = services.turns.enter();
          if (turn !== undefined) await turn;
          if (!done) {
            delivered += value.length;
            stall.extend(settings.clientStallMs);
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
      cancel,
    },
    { highWaterMark: 0 },
  );

  function breakOff(error: AppError, outcome: RequestEnd['outcome'] = 'upstream_failed'): void {
    call.cancel();
    const part = usageOfPart(delivered);
    end({ status: 200, outcome, errorCode: error.code, usage: part });
  }
}
