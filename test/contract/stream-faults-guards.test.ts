/** Upstreams that never come to an end: what is read of them is bounded in time and in size. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { framesOf, readData } from '../../src/base/sse.ts';
import { frameOf } from '../../src/protocols/testing/play-stream.ts';
import { soundStreams } from '../../src/protocols/testing/sound-streams.ts';
import { event } from '../../src/providers/bedrock/testing/binary-message.ts';
import { startTestSluice, type TestSluice, usualModel } from '../support/sluice.ts';
import { faultClients } from '../support/stream-faults/clients.ts';
import { faultUpstreams } from '../support/stream-faults/scene.ts';

type Body = () => AsyncGenerator<Uint8Array>;

/** The same upstreams twice: what is bounded in size is asked where no time can run out first. */
const patient = (model: string): string => `patient-${model}`;
const everyPatience = [
  { named: (model: string) => model, settings: {} },
  { named: patient, settings: { timeouts_ms: { first_byte: 60_000, idle: 60_000 } } },
];

/** What the upstream of each model sends, and how much was taken of all. */
const bodies = new Map<string, Body>();
let sentBytes = 0;
let upstreams: ReadonlyMap<string, Bun.Server<undefined>>;
let sluice: TestSluice;

function startUpstream(model: string): Bun.Server<undefined> {
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    fetch(request) {
      const body = bodies.get(model);
      const headers = { 'content-type': typeFor(request.url) };
      return body === undefined ? new Response(null) : new Response(streamOf(body()), { headers });
    },
  });
}

beforeAll(async () => {
  upstreams = new Map(faultUpstreams.map(({ model }) => [model, startUpstream(model)]));
  sluice = await startTestSluice({
    file: () => ({
      providers: everyPatience.flatMap(({ named, settings }) =>
        faultUpstreams.map(({ model, provider }) => ({
          name: named(model),
          credentials: [{ name: 'k1', api_key: 'upstream-secret' }],
          ...provider(`${upstreams.get(model)?.url.origin}/v1`),
          ...settings,
        })),
      ),
      models: everyPatience.flatMap(({ named }) =>
        faultUpstreams.map(({ model, upstreamModel }) => ({
          ...usualModel,
          id: named(model),
          aliases: [],
          providers: [{ provider: named(model), upstream_id: upstreamModel }],
        })),
      ),
    }),
    variables: {
      // A sound opening has begun after more than two seconds on a busy machine.
      SLUICE_UPSTREAM_FIRST_BYTE_TIMEOUT_MS: '5000',
      SLUICE_UPSTREAM_IDLE_TIMEOUT_MS: '1000',
    },
  });
});
afterAll(async () => {
  await sluice.stop();
  await Promise.all([...upstreams.values()].map((upstream) => upstream.stop(true)));
});
afterEach(() => {
  sentBytes = 0;
});

const typeFor = (url: string): string =>
  url.endsWith('/converse-stream') ? 'application/vnd.amazon.eventstream' : 'text/event-stream';

function streamOf(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done) return controller.close();
        sentBytes += value.length;
        controller.enqueue(value);
      },
      cancel: async () => void (await pieces.return(undefined)),
    },
    { highWaterMark: 0 },
  );
}

/** The beginning of a sound stream, up to its first words. */
function openingOf(protocol: string): Uint8Array {
  const sound = soundStreams.find(({ upstream: { name } }) => name === names[protocol]);
  if (sound === undefined) throw new Error(`there is no stream of ${protocol}`);
  const until = sound.frames.findIndex((data) => data.includes('Moin')) + 1;
  const frames = sound.frames.slice(0, until);
  if (protocol !== 'Converse') {
    return Buffer.from(frames.map((data) => frameOf(data, sound.namesEvents)).join(''));
  }
  const events = frames.flatMap((data) => Object.entries<object>(JSON.parse(data)));
  return Buffer.concat(events.slice(1).map(([type, payload]) => event(type, payload)));
}

const names: Readonly<Record<string, string>> = {
  'chat completions': 'chat-completions',
  messages: 'messages',
  responses: 'responses',
  generateContent: 'google',
  Converse: 'converse',
};

async function* again(piece: Uint8Array, everyMs: number): AsyncGenerator<Uint8Array> {
  while (true) {
    yield piece;
    await Bun.sleep(everyMs);
  }
}

async function* after(opening: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield opening;
  // The opening is read by itself, so that the client has its first words.
  await Bun.sleep(50);
  yield* rest;
}

const letter = Buffer.from('x');
const comment = Buffer.from(': still here\n\n');
const flood = Buffer.alloc(1_048_576, 'x');
const floodBytes = 100 * flood.length;

/** A hundred times a mebibyte and no end of a frame in it. */
async function* flooding(start: Uint8Array): AsyncGenerator<Uint8Array> {
  yield start;
  for (let sent = 0; sent < floodBytes; sent += flood.length) yield flood;
}

/** The beginning of a frame that is going to be long. */
const startOfFrame = (protocol: string): Buffer =>
  protocol === 'Converse'
    ? event('contentBlockDelta', { padding: 'x'.repeat(9000) }).subarray(0, 99)
    : Buffer.from('data: {"x":"');

interface Told {
  readonly status: number;
  readonly code: string | undefined;
}

async function tell(client: (typeof faultClients)[number], model: string): Promise<Told> {
  const response = await sluice.post(client.path, client.body(model, true));
  const text = await response.text();
  if (response.status !== 200) return { status: response.status, code: client.codeOf(JSON.parse(text)) };
  expect(text).not.toMatch(client.goodEnd);
  const codes = [...framesOf(Buffer.from(text))].flatMap((frame) => {
    const data = readData(frame);
    return data === null ? [] : (client.codeOf(JSON.parse(data)) ?? []);
  });
  return { status: 200, code: codes[0] };
}

/** What every client is told of the model's upstream, all at once. */
async function tellAll(model: string, body: Body, named = model): Promise<readonly Told[]> {
  bodies.set(model, body);
  return Promise.all(faultClients.map((client) => tell(client, named)));
}

const forAll = (status: number, code: string): readonly Told[] => faultClients.map(() => ({ status, code }));

/** All upstreams at once, since each test is a wait for a time to be over. */
function testEachAtOnce(
  title: string,
  work: (protocol: string, model: string) => Promise<void>,
  upstreamsOf = faultUpstreams,
): void {
  test(title, async () => {
    const ended = await Promise.allSettled(upstreamsOf.map(({ protocol, model }) => work(protocol, model)));
    const wrong = ended.flatMap((one, at) =>
      one.status === 'rejected' ? [`${upstreamsOf[at]?.protocol}: ${one.reason}`] : [],
    );
    expect(wrong).toEqual([]);
  });
}

testEachAtOnce(
  'a byte now and then and never a frame is waited for no longer than for a first word',
  async (protocol, model) => {
    const letters = () => again(letter, 20);
    // A binary frame tells its length, and one that letters tell is refused before any time is over.
    if (protocol === 'Converse')
      expect(await tellAll(model, letters, patient(model))).toEqual(forAll(502, 'upstream_failed'));
    else expect(await tellAll(model, letters)).toEqual(forAll(504, 'upstream_timeout'));
    const opening = Buffer.concat([openingOf(protocol), startOfFrame(protocol)]);
    expect(await tellAll(model, () => after(opening, letters()))).toEqual(forAll(200, 'upstream_timeout'));
  },
);

testEachAtOnce(
  'comments without end are signs of life for a while',
  async (protocol, model) => {
    const comments = () => again(comment, 20);
    expect(await tellAll(model, comments)).toEqual(forAll(504, 'upstream_timeout'));
    expect(await tellAll(model, () => after(openingOf(protocol), comments()))).toEqual(
      forAll(200, 'upstream_timeout'),
    );
  },
  faultUpstreams.filter(({ protocol }) => protocol !== 'Converse'),
);

describe.each(faultUpstreams.map(({ protocol, model }) => [protocol, model] as const))(
  '%s',
  (protocol, model) => {
    test('a frame without an end is read up to a bound', async () => {
      const isBinary = protocol === 'Converse';
      const code = isBinary ? 'upstream_failed' : 'upstream_invalid_answer';
      const start = Buffer.from(isBinary ? '' : 'data: {"x":"');
      expect(await tellAll(model, () => flooding(start), patient(model))).toEqual(forAll(502, code));
      expect(await tellAll(model, () => after(openingOf(protocol), flooding(start)), patient(model))).toEqual(
        forAll(200, code),
      );
      expect(sentBytes).toBeLessThan(faultClients.length * floodBytes);
    });
  },
);
