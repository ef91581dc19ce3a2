/** The body of a request as text: held to its bound, to the budget of the process and to a pace. */
import {
  type BodyBounds,
  BodyPace,
  BodyTooLargeError,
  brokenOff,
  readTextWithin,
  tooSlow,
} from './bounded-body.ts';
import { type ByteBudget, HeldBytes } from './byte-budget.ts';
import type { Deadlines } from './deadlines.ts';
import { AppError } from './errors.ts';

/**
 * @throws AppError `body_too_large`, `request_timeout` when it comes too slowly, `server_busy` where there is no room for
 *   it, `malformed_request` when it breaks off or is no UTF-8 where it must be.
 */
export async function readRequestText(
  http: Request,
  { bodies, deadlines }: { readonly bodies: ByteBudget; readonly deadlines: Deadlines },
  bounds: Pick<BodyBounds, 'maxBytes' | 'mustBeUtf8'>,
): Promise<string> {
  const held = HeldBytes.ofRequest(bodies);
  const late = Promise.withResolvers<never>();
  const pace = new BodyPace(deadlines, () => late.reject(tooSlow('request body')));
  const onProgress = (receivedBytes: number): void => {
    if (pace.isLate) throw tooSlow('request body');
    pace.progressed(receivedBytes);
  };
  try {
    return await Promise.race([readTextWithin(http, { ...bounds, held, onProgress }), late.promise]);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    if (cause instanceof BodyTooLargeError) {
      const sentence = `The body is larger than the ${bounds.maxBytes} bytes that are taken here.`;
      throw new AppError({ code: 'body_too_large', public: sentence, cause });
    }
    throw brokenOff(cause);
  } finally {
    pace.stop();
    held.giveBack();
  }
}
