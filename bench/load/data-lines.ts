/** What the events of a stream carry, a line each. */

const field = 'data: ';

export function dataLines(stream: string): string[] {
  return stream
    .split('\n')
    .filter((line) => line.startsWith(field))
    .map((line) => line.slice(field.length));
}
