/**
 * The bodies of answers that come in bytes, such as speech: pulled by the client, and settled when they end. And those of
 * long whole answers, which were settled before.
 */
import { HeldBytes } from '../base/byte-budget.ts';
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

/** Shorter ones go out as they are, which costs least, and fill little more than a socket's buffers. */
const longText = 262_144;
const pieceLength = 65_536;
/** A client that takes less in all is taken to have left: it would keep the place of others. */
const lowestBytesPerMs = 16;
const encoder = new TextEncoder();

/**
 * A whole answer for the runtime to send. It would hold all of a long one for a client that takes nothing, past every
 * bound, so such a one is pulled in pieces and keeps its place in the budget, as its key's, until it has gone.
 */
export function relayWhole(
  text: string,
  keyId: number,
  {
    bodies,
    deadlines,
    settings,
  }: Pick<GatewayServices, 'bodies' | 'deadlines'> & {
    readonly settings: Pick<GatewayServices['settings'], 'clientStallMs'>;
  },
): string | ReadableStream<Uint8Array> {
  if (text.length <= longText) return text;
  const held = HeldBytes.ofAnswer(bodies);
  held.belongTo(keyId);
  held.takeAnyway(Buffer.byteLength(text));
  const { clientStallMs } = settings;
  const beganAtMs = deadlines.nowMs;
  let at = 0;
  let interrupt: () => void = () => undefined;
  const end = () => {
    pace.stop();
    held.giveBack();
  };
  const pace = deadlines.start(clientStallMs, () => {
    end();
    interrupt();
  });
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        interrupt = () => controller.error();
      },
      pull(controller) {
        if (at >= text.length) {
          end();
          controller.close();
          return;
        }
        const to = endOfPiece(text, at + pieceLength);
        controller.enqueue(encoder.encode(text.slice(at, to)));
        at = to;
        const endsAtMs = beganAtMs + clientStallMs + at / lowestBytesPerMs;
        pace.extend(Math.min(clientStallMs, endsAtMs - deadlines.nowMs));
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}

/** Cuts no character apart. */
function endOfPiece(text: string, at: number): number {
  const last = text.charCodeAt(at - 1);
  return last >= 0xd800 && last <= 0xdbff ? at + 1 : at;
}
