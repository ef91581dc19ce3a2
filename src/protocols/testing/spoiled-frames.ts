/** Streams with one thing wrong in them: a value of a frame, or the order of the frames. */
import { isJsonObject, tryParseJson } from '../json/fields.ts';

/** Frames that are no part of any answer: no event of theirs may be let through as one. */
export const strayFrames: readonly string[] = [
  ...['{}', '{"type":"weather.report","x":1}', '{"choices":[]}', '{"candidates":[]}', '{"metadata":{}}'],
  ...['{', 'null', '[]', '"x"', '{"usage":{"prompt_tokens":-1,"input_tokens":1e99}}'],
];

/** As text, since some are numbers that no value of the language writes so. */
export const wrongValues = [
  ...['1000000000', '-1', '1.5', '"0"', '0', '1', '2', '1e999', '123456789012345678901234567890'],
  ...['null', 'true', '""', '"x"', '[]', '{}', '[null]', '{"a":{"b":[1]}}'],
] as const;

/** Every value of the frame, at every depth, replaced by each of the wrong ones, or left out. */
export function* spoilValues(data: string): Generator<string> {
  if (data === '[DONE]') return;
  for (const { value } of marked(JSON.parse(data))) {
    for (const wrong of wrongValues) yield fill(value, wrong);
    // Where all of the frame is the hole, there is no JSON.
    yield String(JSON.stringify(value, (_name, member) => (member === hole ? undefined : member)));
  }
}

/** One value of the frame, drawn by number, replaced by the text of another. */
export function spoilValue(data: string, number: number, wrong: string): string {
  const json = tryParseJson(data);
  const marks = json === undefined ? [] : [...marked(json)];
  const mark = marks[number % Math.max(1, marks.length)];
  return mark === undefined ? data : fill(mark.value, wrong);
}

/** The texts of all values of these frames: what looks right, and is in the wrong place. */
export function valuesOf(frames: readonly string[]): readonly string[] {
  const found = frames.flatMap((data) => (data === '[DONE]' ? [] : [...valuesIn(JSON.parse(data))]));
  return [...new Set(found.map((value) => JSON.stringify(value)))];
}

function* valuesIn(value: unknown): Generator<unknown> {
  yield value;
  if (typeof value !== 'object' || value === null) return;
  for (const member of Object.values(value)) yield* valuesIn(member);
}

const fill = (value: unknown, wrong: string): string =>
  JSON.stringify(value).replace(`"${hole}"`, () => wrong);

const hole = 'here goes what is wrong';

/** Copies of the value, each with a hole in another place. */
function* marked(value: unknown): Generator<{ readonly value: unknown }> {
  yield { value: hole };
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      for (const inner of marked(item)) yield { value: value.with(at, inner.value) };
    }
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      for (const inner of marked(member)) yield { value: { ...value, [name]: inner.value } };
    }
  }
}

/** Frames left out, sent twice, sent early, or sent once more at the end. */
export function* spoilOrder(frames: readonly string[]): Generator<readonly string[]> {
  for (const [at, frame] of frames.entries()) {
    yield frames.toSpliced(at, 1);
    yield frames.toSpliced(at, 0, frame);
    yield [frame, ...frames];
    yield [...frames.slice(0, -2), frame, ...frames.slice(-2)];
    yield [...frames.slice(at), ...frames.slice(0, at)];
    for (let to = 0; to < frames.length; to += 1) {
      yield frames.toSpliced(at, 1).toSpliced(to, 0, frame);
    }
  }
}
