/** The law of a check that runs before a schema: what it lets pass, the schema takes. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { asObject, isJsonObject, type JsonObject } from '../json/fields.ts';

export interface ShapeLaws {
  isSound(json: JsonObject): boolean;
  /** What the schema says, which is asked when the check says no. */
  isTaken(json: JsonObject): boolean;
  /** Requests as clients send them, which must not be slowed down by the schema. */
  readonly usual: readonly JsonObject[];
}

/** What a member can be instead of what it should be; the bounds of the schemas from both sides. */
const oddities: readonly unknown[] = [
  ...[
    null,
    true,
    '',
    'x',
    [],
    {},
    [null],
    [[]],
    [{}],
    [{ type: '' }],
    ['x'],
    { type: '' },
    { type: 'x' },
    { role: 1 },
  ],
  ...[-1, 0, 1, 2, 20, 21, 0.5, 1.0001, 2.1, 2 ** 53, Number.POSITIVE_INFINITY],
  ...[256, 257, 512, 513].map((length) => 'x'.repeat(length)),
];
const odd = fc.oneof(fc.constantFrom(...oddities), fc.jsonValue({ maxDepth: 2 }));

export function shapeLaws({ isSound, isTaken, usual }: ShapeLaws): void {
  test('usual requests are taken without asking the schema', () => {
    for (const json of usual) {
      expect(isTaken(json)).toBe(true);
      expect(isSound(json)).toBe(true);
    }
  });

  test('with any one value changed, what is taken without asking the schema, the schema takes', () => {
    for (const json of usual) {
      for (let at = 0; at < placesIn(structuredClone(json)).length; at += 1) {
        for (const value of oddities) expectTaken(changeAt(json, { at, value, isGone: false }));
        expectTaken(changeAt(json, { at, value: null, isGone: true }));
      }
    }
  });

  function expectTaken(changed: JsonObject): void {
    if (isSound(changed) && !isTaken(changed)) expect({ changed }).toEqual({ changed: {} });
  }

  test('with several values changed it takes it too', () => {
    let sound = 0;
    let refused = 0;
    const changes = fc.array(fc.tuple(fc.nat(), odd, fc.boolean()), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.constantFrom(...usual), changes, (json, made) => {
        const changed = made.reduce(
          (before, [at, value, isGone]) => changeAt(before, { at, value, isGone }),
          json,
        );
        expectTaken(changed);
        if (isSound(changed)) sound += 1;
        else if (!isTaken(changed)) refused += 1;
      }),
      { numRuns: 1000 },
    );
    // Both must be met, or nothing was shown.
    expect(sound).toBeGreaterThan(100);
    expect(refused).toBeGreaterThan(100);
  });
}

interface Change {
  readonly at: number;
  readonly value: unknown;
  readonly isGone: boolean;
}

/** The request with one value, at any depth, replaced or taken away. */
function changeAt(json: JsonObject, { at, value, isGone }: Change): JsonObject {
  const copy: unknown = structuredClone(json);
  const places = placesIn(copy);
  const place = places[at % places.length];
  if (place === undefined) return json;
  if (isGone) Reflect.deleteProperty(place.holder, place.key);
  else Reflect.set(place.holder, place.key, value);
  return asObject(copy) ?? json;
}

interface Place {
  readonly holder: object;
  readonly key: string;
}

function placesIn(value: unknown): readonly Place[] {
  if (!isJsonObject(value) && !Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => [{ holder: value, key }, ...placesIn(inner)]);
}
