import { describe, expect, test } from 'bun:test';
import type { Model } from '../catalogue/index.ts';
import { type Candidate, nextAfter } from './candidates.ts';
import { connectionFailure, invalidAnswerFailure, refusalFailure, type UpstreamFailure } from './failure.ts';

const reset = Object.assign(new Error('the socket was closed'), { code: 'ECONNRESET' });
const broken = connectionFailure(reset, { hadAnswer: false });
const failed = refusalFailure({ status: 500, complaint: null, secret: null });
const unreadable = invalidAnswerFailure('no JSON');
const refused = refusalFailure({ status: 422, complaint: null, secret: null });
const tooLong = refusalFailure({
  status: 400,
  complaint: { message: 'too long', code: 'context_length_exceeded', type: null, param: null, status: 400 },
  secret: null,
});

/** Only the windows of the deployments are looked at. */
function step(failure: UpstreamFailure, at: number, windows: (number | null)[], wasRetried = false) {
  const candidates = windows.map((contextWindow) => ({ deployment: { contextWindow } }) as Candidate);
  return nextAfter(failure, { candidates, at, model: { contextWindow: 100 } as Model, wasRetried });
}

describe('after a failure', () => {
  test('a connection that broke is made anew once, whoever else could be asked', () => {
    expect(step(broken, 0, [null, null])).toEqual({ at: 0, afterMs: 0 });
    expect(step(broken, 0, [null, null], true)).toEqual({ at: 1, afterMs: 0 });
    expect(step(broken, 1, [null, null], true)).toBeNull();
  });

  test('a provider that failed is asked again only where nobody else is left', () => {
    expect(step(failed, 0, [null, null])).toEqual({ at: 1, afterMs: 0 });
    expect(step(failed, 1, [null, null])).toEqual({ at: 1, afterMs: 300 });
    expect(step(failed, 1, [null, null], true)).toBeNull();
  });

  test('what the same provider would say again moves on, or ends', () => {
    expect(step(unreadable, 0, [null, null])).toEqual({ at: 1, afterMs: 0 });
    expect(step(unreadable, 1, [null, null])).toBeNull();
    expect(step(refused, 0, [null, null])).toBeNull();
  });

  test('a prompt that is too long goes to the next one with a larger window', () => {
    expect(step(tooLong, 0, [50, 50, null])).toEqual({ at: 2, afterMs: 0 });
    expect(step(tooLong, 0, [null, null, 200])).toEqual({ at: 2, afterMs: 0 });
    expect(step(tooLong, 0, [200, null])).toBeNull();
    expect(step(tooLong, 2, [200, null, 50])).toBeNull();
  });
});
