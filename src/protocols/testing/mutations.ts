/** Random changes to the frames of a stream, for property tests. */
import fc from 'fast-check';
import { spoilValue, strayFrames, valuesOf, wrongValues } from './spoiled-frames.ts';

type Mutation =
  | { readonly what: 'spoil'; readonly at: number; readonly number: number; readonly wrong: string }
  | { readonly what: 'drop'; readonly at: number }
  | { readonly what: 'repeat'; readonly at: number; readonly to: number }
  | { readonly what: 'stray'; readonly at: number; readonly data: string };

const at = fc.nat(99);

/** Values are replaced by what is wrong anywhere, and by what is right elsewhere in the same stream. */
export function mutatedFrames(sound: readonly string[]): fc.Arbitrary<readonly string[]> {
  const wrong = fc.constantFrom(...wrongValues, ...valuesOf(sound));
  const mutation: fc.Arbitrary<Mutation> = fc.oneof(
    { weight: 4, arbitrary: fc.record({ what: fc.constant('spoil'), at, number: fc.nat(999), wrong }) },
    fc.record({ what: fc.constant('drop'), at }),
    fc.record({ what: fc.constant('repeat'), at, to: at }),
    fc.record({ what: fc.constant('stray'), at, data: fc.constantFrom(...strayFrames) }),
  );
  return fc
    .array(mutation, { minLength: 1, maxLength: 4 })
    .map((all) => all.reduce<readonly string[]>((frames, one) => mutate(frames, one), sound));
}

function mutate(frames: readonly string[], mutation: Mutation): readonly string[] {
  const index = mutation.at % frames.length;
  const frame = frames[index] ?? '';
  switch (mutation.what) {
    case 'spoil':
      return frames.with(index, spoilValue(frame, mutation.number, mutation.wrong));
    case 'drop':
      return frames.length === 1 ? frames : frames.toSpliced(index, 1);
    case 'repeat':
      return frames.toSpliced(mutation.to % frames.length, 0, frame);
    case 'stray':
      return frames.toSpliced(index, 0, mutation.data);
  }
}
