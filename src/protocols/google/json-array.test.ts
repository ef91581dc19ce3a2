import { describe, expect, test } from 'bun:test';
import { asJsonArray } from './json-array.ts';

const encoder = new TextEncoder();

/** A body of these pieces, which notes what is pulled of it and whether it was cancelled. */
function bodyOf(...pieces: readonly string[]) {
  const seen = { pulled: 0, isCancelled: false };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = pieces[seen.pulled];
        seen.pulled += 1;
        if (piece === undefined) controller.close();
        else controller.enqueue(encoder.encode(piece));
      },
      cancel() {
        seen.isCancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, seen };
}

describe('a stream as a JSON array', () => {
  const text =
    'data: {"a":"x\\n1"}\n\n: still waiting\n\ndata: {"b":2}\r\n\r\ndata: {"error":{"code":502}}\n\n';

  test('has the data of each frame for an element, however its bytes are cut', async () => {
    for (let at = 0; at <= text.length; at += 1) {
      const array = await new Response(asJsonArray(bodyOf(text.slice(0, at), text.slice(at)).body)).text();
      expect(JSON.parse(array)).toEqual([{ a: 'x\n1' }, { b: 2 }, { error: { code: 502 } }]);
    }
  });

  test('begins with its bracket, also where a sign of life comes first, and is empty without frames', async () => {
    const array = await new Response(asJsonArray(bodyOf(': still waiting\n\n', 'data: 1\n\n').body)).text();
    expect(array).toBe('[\n1\n]');
    expect(await new Response(asJsonArray(bodyOf().body)).json()).toEqual([]);
  });

  test('is pulled piece by piece, and cancels what it is made of', async () => {
    const { body, seen } = bodyOf('data: 1\n\n', 'data: 2\n\n', 'data: 3\n\n');
    const reader = asJsonArray(body).getReader();
    expect(seen.pulled).toBe(0);
    const { value } = await reader.read();
    expect(new TextDecoder().decode(value)).toBe('[1');
    expect(seen.pulled).toBe(1);
    await reader.cancel();
    expect(seen.isCancelled).toBe(true);
  });
});
