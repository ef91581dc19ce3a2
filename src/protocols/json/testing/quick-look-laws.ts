/** What a quick look in front of a schema is held to: it is there for speed and changes nothing. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { JsonObject } from '../fields.ts';

/**
 * @param request mostly right, and now and then wrong in one place or nearly so.
 * @param looks `bySchema` throws for what the schema refuses; `isPlainlySound` is true for what need not be shown to it.
 */
export function quickLookLaws(
  request: fc.Arbitrary<JsonObject>,
  looks: { bySchema(json: JsonObject): unknown; isPlainlySound(json: JsonObject): boolean },
): void {
  const isTakenBySchema = (json: JsonObject): boolean => {
    try {
      looks.bySchema(json);
      return true;
    } catch {
      return false;
    }
  };

  describe('the quick look at a request', () => {
    test('lets nothing pass that the schema refuses', () => {
      fc.assert(
        fc.property(request, (json) => {
          if (looks.isPlainlySound(json)) expect(() => looks.bySchema(json)).not.toThrow();
        }),
        { numRuns: 5000 },
      );
    });

    test('lets pass nearly all that the schema takes, so that the schema seldom runs', () => {
      const taken = fc.sample(request, { numRuns: 3000, seed: 1 }).filter(isTakenBySchema);
      expect(taken.length).toBeGreaterThan(100);
      expect(taken.filter((json) => looks.isPlainlySound(json)).length / taken.length).toBeGreaterThan(0.95);
    });
  });
}
