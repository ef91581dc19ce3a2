/** What sound, vectors and rankings cost when nobody counts them truly: the caller's file, the upstream, or its end. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { wavFile } from '../../src/protocols/audio-file/testing/plain-files.ts';
import { countTexts } from '../../src/protocols/token-count/count-texts.ts';
import { owner, startTestSluice, type TestSluice, usualProvider } from '../support/sluice.ts';

const model = (id: string, type: string, prices: object, provider = 'odd') => ({
  id,
  type,
  owned_by: 'doubles',
  prices,
  providers: [{ provider, upstream_id: id }],
});

const file = (url: string) => ({
  users: [{ email: owner, password: 'a long enough password', role: 'platform_owner', wallet_usd: 25 }],
  providers: [
    { ...usualProvider(url), name: 'odd' },
    { ...usualProvider(url), name: 'cohere', kind: 'cohere' },
    { ...usualProvider(`${url}/second`), name: 'second' },
  ],
  models: [
    model('ears', 'transcription', { audio_second: 100 }),
    model('ears-by-token', 'transcription', { input: 2.5, output: 10 }),
    model('ears-by-sound', 'transcription', { input: 2.5, audio_input: 6, output: 10 }),
    model('voice', 'speech', { character: 15 }),
    model('voice-by-token', 'speech', { input: 1, output: 10 }),
    {
      ...model('safe-voice', 'speech', { character: 15 }),
      providers: ['odd', 'second'].map((provider) => ({ provider, upstream_id: 'voice' })),
    },
    model('vectors', 'embedding', { input: 1 }, 'cohere'),
    model('free-vectors', 'embedding', { input: 0 }, 'cohere'),
    model('ranks', 'rerank', { rerank_unit: 2000 }, 'cohere'),
  ],
  keys: [],
});

interface Call {
  readonly path: string;
  readonly body: string;
}

describe('charges for units', () => {
  let sluice: TestSluice;
  let calls: Call[] = [];
  let answer: (call: Call, number: number) => Response;
  let server: ReturnType<typeof Bun.serve>;

  beforeAll(async () => {
    server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(http) {
        const call = { path: new URL(http.url).pathname, body: await http.text() };
        calls.push(call);
        return answer(call, calls.length);
      },
    });
    sluice = await startTestSluice({ file: () => file(`http://127.0.0.1:${server.port}/v1`) });
  });
  afterAll(async () => {
    await sluice.stop();
    await server.stop(true);
  });
  beforeEach(() => {
    calls = [];
  });

  async function recordOf({ headers }: Response) {
    while (true) {
      const records = await sluice.usage();
      const record = records.find(({ requestId }) => requestId === headers.get('x-request-id'));
      if (record !== undefined) return record;
      await Bun.sleep(10);
    }
  }

  async function hear(asked: string, bytes: Uint8Array, heard: object) {
    answer = () => Response.json({ text: 'Boats pass the mill.', ...heard });
    const form = new FormData();
    form.append('model', asked);
    form.append('file', new File([new Uint8Array(bytes)], 'a.wav'));
    const response = await fetch(`${sluice.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sluice.token}` },
      body: form,
    });
    expect(response.status).toBe(200);
    return recordOf(response);
  }
  const sound = wavFile({ seconds: 60 });

  const input = 'b'.repeat(300);
  const speak = (asked: string, fields: object = {}) =>
    sluice.post('/v1/audio/speech', { model: asked, input, ...fields });
  const asSound = (body: BodyInit, type = 'audio/mpeg') =>
    new Response(body, { headers: { 'content-type': type } });

  describe('a transcription', () => {
    test('is charged for what was heard by the price of sound, where that is told and where it is not', async () => {
      const usage = {
        ...{ type: 'tokens', input_tokens: 610, output_tokens: 6, total_tokens: 616 },
        input_token_details: { text_tokens: 10, audio_tokens: 600 },
      };
      const told = await hear('ears-by-sound', sound, { usage });
      expect(told).toMatchObject({ chargedNanoUsd: 10n * 2_500n + 600n * 6_000n + 6n * 10_000n });
      const counted = await hear('ears-by-sound', sound, {});
      const written = BigInt(counted.outputTokens) * 10_000n;
      expect(counted).toMatchObject({ estimated: true, chargedNanoUsd: 600n * 6_000n + written });
    });

    test('of a file that claims to be of no length is charged by its samples', async () => {
      const lie = Buffer.from(sound);
      lie.writeUInt32LE(0xffffffff, 28);
      const record = await hear('ears', lie, {});
      expect(record).toMatchObject({ audioMs: 60_000, estimated: false, chargedNanoUsd: 6_000_000n });
    });

    test('of samples denser than any is charged by the bytes, and says so', async () => {
      const lie = Buffer.from(sound);
      lie.writeUInt32LE(0xffffffff, 24);
      const audioMs = Math.round((lie.length / 1_536_000) * 1000);
      expect(await hear('ears', lie, {})).toMatchObject({ audioMs, estimated: true });
    });

    test.each([0, -1, 1e12, 1e308])(
      'whose upstream counted %p seconds is charged by the file',
      async (duration) => {
        const record = await hear('ears', sound, {
          duration,
          usage: { type: 'duration', seconds: duration },
        });
        expect(record).toMatchObject({ audioMs: 60_000, outcome: 'complete' });
      },
    );

    test('is charged what the upstream bills, not what it measured', async () => {
      const usage = { type: 'duration', seconds: 10 };
      expect(await hear('ears', sound, { duration: 9.2, usage })).toMatchObject({ audioMs: 10_000 });
    });

    test.each([{}, { duration: 60 }, { usage: { input_tokens: 0, output_tokens: 0 } }])(
      'with a price for tokens that the upstream did not count (%j) is charged by seconds and text',
      async (heard) => {
        expect(await hear('ears-by-token', sound, heard)).toMatchObject({
          inputTokens: 600,
          outputTokens: 6,
          estimated: true,
          chargedNanoUsd: 600n * 2500n + 6n * 10_000n,
        });
      },
    );
  });

  describe('speech', () => {
    /** Of 300 letters at 15 a second and 128 kbit/s. */
    const wholeBytes = 320_000;
    /** Breaks off as soon as the client has read all the bytes. */
    function brokenSound(bytes: number) {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const writer = writable.getWriter();
      writer.write(new Uint8Array(bytes)).catch(() => undefined);
      return { readable, breakOff: () => writer.abort() };
    }

    async function breakAfter(bytes: number, asked: string) {
      const broken = brokenSound(bytes);
      answer = () => asSound(broken.readable);
      const response = await speak(asked);
      const reader = response.body?.getReader();
      let received = 0;
      while (received < bytes) received += (await reader?.read())?.value?.length ?? bytes;
      broken.breakOff().catch(() => undefined);
      await expect(reader?.read()).rejects.toThrow();
      return recordOf(response);
    }

    test.each([
      [5, 0],
      [wholeBytes / 4, 75],
      [wholeBytes * 2, 300],
    ])('that breaks off after %d bytes is charged for %d of 300 characters', async (bytes, characters) => {
      expect(await breakAfter(bytes, 'voice')).toMatchObject({
        outcome: 'upstream_failed',
        characters,
        estimated: true,
        chargedNanoUsd: BigInt(characters) * 15_000n,
      });
    });

    test('that breaks off is charged for its share of tokens', async () => {
      expect(await breakAfter(wholeBytes / 2, 'voice-by-token')).toMatchObject({
        inputTokens: 38,
        outputTokens: 210,
      });
    });

    test.each(['audio/opus', 'audio/wav', 'audio/L16; rate=24000'])(
      'in another format, %s, is asked of the next provider',
      async (type) => {
        answer = ({ path }) =>
          path.includes('second') ? asSound('mp3 bytes') : asSound('other bytes', type);
        const response = await speak('safe-voice');
        expect(response.headers.get('x-sluice-provider')).toBe('second');
        expect(await response.text()).toBe('mp3 bytes');
      },
    );

    test('whose answer is an error is one, though its media type is in capitals', async () => {
      answer = () =>
        asSound('{"error":{"message":"no such voice","type":"server_error"}}', 'Application/JSON');
      expect((await speak('voice')).status).toBe(502);
    });

    test('in another format is refused where there is no other provider, and held against nobody', async () => {
      answer = () => asSound('opus bytes', 'audio/opus');
      const response = await speak('voice');
      expect(response.status).toBe(400);
      expect((await response.json()).error).toMatchObject({
        code: 'invalid_parameter',
        param: 'response_format',
      });
      expect(await recordOf(response)).toMatchObject({ chargedNanoUsd: 0n });
    });

    test('is asked for without what was meant for the gateway', async () => {
      answer = () => asSound('mp3 bytes');
      await (await speak('voice', { metadata: { session_id: 's-1' }, seed: 4 })).text();
      expect(JSON.parse(calls[0]?.body ?? '')).toEqual({
        model: 'voice',
        input,
        voice: 'alloy',
        response_format: 'mp3',
        seed: 4,
      });
    });
  });

  describe('batches', () => {
    const numbered = Array.from({ length: 300 }, (_, index) => `text ${index}`);
    const vectorsOf = (body: string, tokens?: number) => {
      const { texts } = JSON.parse(body);
      const float = texts.map((text: string) => [Number(text.slice(5)), 0.5]);
      return Response.json({ embeddings: { float }, meta: { billed_units: { input_tokens: tokens } } });
    };
    const busy = (status: number) => Response.json({ message: 'Not now.' }, { status });
    const embed = (asked: string) => sluice.post('/v1/embeddings', { model: asked, input: numbered });

    test.each([429, 500, 503])('are kept when the second one meets %d once', async (status) => {
      answer = ({ body }, number) =>
        number === 2
          ? new Response(busy(status).body, { status, headers: { 'retry-after': '1' } })
          : vectorsOf(body, 10);
      const response = await embed('vectors');
      expect(response.status).toBe(200);
      const { data } = await response.json();
      expect(data.map(({ embedding }: { embedding: number[] }) => embedding[0])).toEqual(
        numbered.map((_, index) => index),
      );
      expect(calls).toHaveLength(5);
      expect(await recordOf(response)).toMatchObject({ inputTokens: 40, attempts: 1 });
    });

    test('are given up after three failures of the same one', async () => {
      answer = ({ body }, number) => (number >= 2 ? busy(503) : vectorsOf(body, 10));
      const response = await embed('vectors');
      expect(response.status).toBe(503);
      expect(calls).toHaveLength(4);
      expect(await recordOf(response)).toMatchObject({ chargedNanoUsd: 0n });
    });

    test.each([
      ['the first', 1, 503, 1],
      ['a later', 2, 400, 2],
      ['a later', 2, 401, 2],
    ])(
      'whose failure cannot pass are not tried again: %s one, call %d, %d',
      async (_name, at, status, made) => {
        answer = ({ body }, number) => (number >= at ? busy(status) : vectorsOf(body, 10));
        expect((await embed('vectors')).ok).toBe(false);
        expect(calls).toHaveLength(made);
      },
    );

    test('that nobody counted are counted here, even where nobody pays for them', async () => {
      answer = ({ body }) => vectorsOf(body);
      const { usage } = await (await embed('free-vectors')).json();
      expect(usage.prompt_tokens).toBe(await countTexts(numbered));
    });
  });

  test('seconds, characters and searches are in the metrics', async () => {
    const units = async (kind: string, asked: string) => {
      const text = await sluice.running.services.metrics.write();
      const line = new RegExp(
        `^sluice_units_total\\{model="${asked}",provider="[a-z]+",kind="${kind}"\\} (.+)$`,
        'm',
      );
      return Number(line.exec(text)?.[1] ?? 0);
    };
    const read = async () => {
      // Who asks within a second gets what was written before.
      sluice.leap(1000);
      return [
        await units('audio_seconds', 'ears'),
        await units('characters', 'voice'),
        await units('searches', 'ranks'),
      ];
    };
    const [seconds = 0, characters = 0, searches = 0] = await read();
    await hear('ears', wavFile({ seconds: 2 }), {});
    answer = () => asSound('mp3 bytes');
    const spoken = await speak('voice');
    await spoken.text();
    await recordOf(spoken);
    answer = () => Response.json({ results: [{ index: 0, relevance_score: 0.5 }] });
    await sluice.post('/v1/rerank', { model: 'ranks', query: 'mill', documents: ['a mill'] });
    expect(await read()).toEqual([seconds + 2, characters + 300, searches + 1]);
    expect(await sluice.running.services.metrics.write()).not.toContain(
      'model="ranks",provider="cohere",kind="characters"',
    );
  });
});
