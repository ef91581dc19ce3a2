/** Recorded answers, the project's own and those of a captures folder where there is one. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import {
  capturesFolder,
  fixture,
  fixtureNames,
  type Recording,
  readCaptures,
  startUpstream,
  type Upstream,
} from './index.ts';
import { readList, readObject } from './json.ts';

let upstream: Upstream;
let client: OpenAI;

beforeEach(() => {
  upstream = startUpstream();
  client = new OpenAI({ baseURL: upstream.url, apiKey: 'key-of-the-test', maxRetries: 0 });
});
afterEach(() => upstream.stop());

const base = { model: 'asked-for', messages: [{ role: 'user' as const, content: 'Hello' }] };

function ask(fields: object): Promise<Response> {
  return fetch(`${upstream.url}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ ...base, ...fields }),
  });
}

describe.each([...fixtureNames])('the %s fixture', (name) => {
  test('comes whole, word for word', async () => {
    upstream.enqueue({ replay: fixture(name) });
    expect(await (await ask({})).text()).toBe(fixture(name).whole ?? '');
  });

  test('comes as a stream, event for event', async () => {
    upstream.enqueue({ replay: fixture(name) });
    const text = await (await ask({ stream: true })).text();
    expect(text.split('\n\n').slice(0, -1)).toEqual([...(fixture(name).events ?? [])]);
  });

  test('says the same whole and streamed to the official client, in text, calls and usage', async () => {
    upstream.byDefault({ replay: fixture(name) });
    const whole = await client.chat.completions.create(base);
    const told = { ...upstream.counts };
    const chunks = await Array.fromAsync(await client.chat.completions.create({ ...base, stream: true }));
    const choices = chunks.flatMap((chunk) => chunk.choices);
    const message: unknown = whole.choices[0]?.message;
    const deltas: unknown[] = choices.map((choice) => choice.delta);
    for (const field of ['content', 'reasoning_content', 'reasoning']) {
      expect(textOf(deltas, field)).toBe(textOf([message], field));
    }
    expect(callsOf(deltas)).toEqual(callsOf([message]));
    expect(choices.at(-1)?.finish_reason ?? choices.at(-2)?.finish_reason).toBe(
      whole.choices[0]?.finish_reason,
    );
    expect(told.completionTokens).toBe(whole.usage?.completion_tokens ?? -1);
    expect(upstream.requests[1]?.usage).toEqual(upstream.requests[0]?.usage);
    expect(upstream.counts.promptTokens).toBe(2 * told.promptTokens);
  });
});

test('a recording that lacks the wanted form answers 501 and says so', async () => {
  const recording: Recording = { name: 'half', whole: '{}', events: undefined };
  upstream.enqueue({ replay: recording });
  const response = await ask({ stream: true });
  expect(response.status).toBe(501);
  expect(await response.text()).toContain('The recording half holds no stream.');
});

test('faults and shapes apply to recordings as well', async () => {
  upstream.enqueue({ replay: fixture('deepseek'), fault: 'truncated_stream', shape: { lineEnds: 'crlf' } });
  const text = await (await ask({ stream: true })).text();
  expect(text.split('\r\n\r\n')).toHaveLength(4);
});

describe('captures', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'captures-'));
    const put = (path: string, text: string): void => {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    const chunk = JSON.stringify({ choices: [{ index: 0, delta: { content: 'Ahoy' } }] });
    const whole = JSON.stringify({ choices: [{ index: 0, message: { content: 'Ahoy' } }] });
    put('answers/host/text.chunks.txt', `${chunk}\n${chunk}\n`);
    put('answers/host/text.json', whole);
    put('answers/other/text.chunks.txt', '{"type":"message_start"}\n');
    put('answers/other/text.json', '{"type":"message","content":[]}');
    put('parallel/case/chat-completions/request.json', '{"model":"m","messages":[]}');
    put('parallel/case/chat-completions/response-streaming.json', `[${chunk}]`);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('chat completions are found whole and streamed, other protocols are passed over', () => {
    const found = readCaptures(folder).map(({ name, whole, events }) => [
      name,
      whole !== undefined,
      events?.length,
    ]);
    expect(found).toEqual([
      ['answers/host/text', true, 3],
      ['parallel/case/chat-completions/response', false, 2],
    ]);
  });

  test('the folder can be named in the environment, and one that is not there holds nothing', () => {
    const earlier = process.env['SLUICE_CAPTURES'];
    process.env['SLUICE_CAPTURES'] = folder;
    expect(readCaptures()).toHaveLength(2);
    process.env['SLUICE_CAPTURES'] = join(folder, 'nowhere');
    expect(readCaptures()).toEqual([]);
    if (earlier === undefined) delete process.env['SLUICE_CAPTURES'];
    else process.env['SLUICE_CAPTURES'] = earlier;
  });

  test.skipIf(capturesFolder() === undefined)(
    'every real capture replays to its end through the official client',
    async () => {
      const captures = readCaptures();
      expect(captures.length).toBeGreaterThan(0);
      for (const capture of captures) {
        upstream.byDefault({ replay: capture });
        if (capture.whole !== undefined) {
          const { choices } = await client.chat.completions.create(base);
          expect([capture.name, choices.length > 0]).toEqual([capture.name, true]);
        }
        if (capture.events === undefined) continue;
        const chunks = await Array.fromAsync(await client.chat.completions.create({ ...base, stream: true }));
        expect([capture.name, chunks.length]).toEqual([capture.name, capture.events.length - 1]);
      }
      expect(upstream.requests.every((request) => request.outcome === 'answered')).toBe(true);
    },
  );
});

/** A field's text over all parts, in either of its forms: a string, or a list of typed parts. */
function textOf(parts: readonly unknown[], field: string): string {
  const textIn = (value: unknown): string => {
    if (typeof value === 'string') return value;
    if (!Array.isArray(value)) return '';
    return value
      .map((part) => textIn(readObject({ part }, 'part')['text'] ?? readList(part, 'thinking')))
      .join('');
  };
  return parts.map((part) => textIn(readObject({ part }, 'part')[field])).join('');
}

function callsOf(parts: readonly unknown[]): unknown[] {
  const calls = new Map<unknown, { name: string; arguments: string }>();
  for (const [place, call] of parts.flatMap((part) => [...readList(part, 'tool_calls').entries()])) {
    const details = readObject(call, 'function');
    const key = readObject({ call }, 'call')['index'] ?? place;
    const known = calls.get(key) ?? { name: '', arguments: '' };
    calls.set(key, {
      name: known.name + String(details['name'] ?? ''),
      arguments: known.arguments + String(details['arguments'] ?? ''),
    });
  }
  return [...calls.values()];
}
