/** What holds of every protocol that requests are written to and read from. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { AppError } from '../../../base/errors.ts';
import { isJsonObject } from '../../json/fields.ts';
import type { ClientProtocol, UpstreamModel, UpstreamProtocol } from '../../protocol.ts';
import type { TurnRequest } from '../request.ts';
import { turnRequest } from './arbitrary-request.ts';
import type { DeclaredLosses, RequestLoss } from './losses.ts';
import { withoutLosses } from './remove-request-losses.ts';

export interface RequestLaws {
  readonly client: ClientProtocol;
  readonly upstream: UpstreamProtocol;
  readonly model: UpstreamModel;
  readonly losses: DeclaredLosses;
  /** The protocol's own check of a request. @throws when it is not valid. */
  readonly check: (text: string) => unknown;
}

export function requestLaws({ client, upstream, model, losses, check }: RequestLaws): void {
  const { vendor } = losses;
  const all = new Set(losses.request.map(({ what }) => what));
  const beforeWriting = new Set(losses.request.flatMap(({ what, how }) => (how === 'dropped' ? [] : [what])));
  const without = (request: TurnRequest, what: ReadonlySet<RequestLoss>) =>
    withoutLosses(request, { losses: what, vendor });
  const writeAndRead = (request: TurnRequest): TurnRequest => {
    const json: unknown = JSON.parse(upstream.writeRequest(request, model));
    if (!isJsonObject(json)) throw new Error('a request was written that is no JSON object');
    return client.readRequest(json);
  };

  describe(`requests as ${client.name}`, () => {
    test('come back from writing as they were, but for the declared losses', () => {
      fc.assert(
        fc.property(turnRequest, (request) => {
          const kept = without(request, beforeWriting);
          // Of what is kept and not of the request: thinking that was joined before some of it is dropped stays joined.
          expect(writeAndRead(kept)).toEqual(without(kept, all));
        }),
        { numRuns: 200 },
      );
    });

    test('are valid when written, or refused with a 400', () => {
      fc.assert(
        fc.property(turnRequest, (request) => {
          try {
            check(upstream.writeRequest(request, model));
          } catch (error) {
            if (!(error instanceof AppError) || error.code !== 'invalid_parameter') throw error;
          }
        }),
        { numRuns: 200 },
      );
    });

    if (all.has('free-text tools')) {
      test('have a function in the place of each free-text tool', () => {
        const others = new Set([...beforeWriting].filter((what) => what !== 'free-text tools'));
        fc.assert(
          fc.property(turnRequest, (request) => {
            const kept = without(request, others);
            const changed = without(kept, new Set(['free-text tools']));
            expect(upstream.writeRequest(kept, model)).toBe(upstream.writeRequest(changed, model));
          }),
          { numRuns: 200 },
        );
      });
    }

    const samples = fc.sample(turnRequest, { numRuns: 600, seed: 1 });

    test.each(losses.request.map(({ what, how }) => [what, how] as const))('lose: %s (%s)', (what, how) => {
      const others = new Set([...all].filter((other) => other !== what));
      const isLost = samples.some((request) => {
        const kept = without(request, others);
        if (Bun.deepEquals(kept, without(kept, all))) return false;
        try {
          return !Bun.deepEquals(writeAndRead(kept), kept);
        } catch (error) {
          return how === 'refused' && error instanceof AppError && error.code === 'invalid_parameter';
        }
      });
      expect(isLost).toBe(true);
    });
  });
}
