import { expect, test } from 'bun:test';
import { ByteBudget } from '../base/byte-budget.ts';
import { systemClock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { Turns } from '../base/turns.ts';
import { chatErrors } from '../protocols/chat-completions/errors.ts';
import { ReadableFrames } from '../protocols/frames/readable-frames.ts';
import { interruptRelays, relayStream, type StreamRelay } from './relay.ts';
import { RequestFacts, settleRequest } from './request-facts.ts';

/** What a stream that is whole with its head touches, and no more. */
function relayOf(end: () => Uint8Array, log: string[]): StreamRelay {
  const translator = {
    complaint: null,
    isComplete: true,
    isEnded: true,
    usage: null,
    usageSoFar: null,
    generatedCharacters: 0,
    sampleGenerated: () => ({ texts: [], times: 1 }),
    end,
  };
  const failed = new AppError({ code: 'upstream_failed', public: 'The model provider failed.' });
  const call = {
    secret: null,
    cancel: () => log.push('cancelled'),
    drain: async () => undefined,
    failureOf: () => ({ error: failed }),
  };
  const services = {
    relays: new Set(),
    settings: { keepAliveMs: 1000, clientStallMs: 1000 },
    deadlines: { start: () => ({ extend: () => undefined, stop: () => undefined }) },
    metrics: { ended: () => log.push('settled'), refused: () => undefined },
    log: { info: () => undefined, error: (message: string) => log.push(message) },
    settlement: { forget: () => undefined },
  };
  const stream = {
    translator,
    call,
    reader: null,
    head: Buffer.from('data: {}\n\n'),
    isDone: true,
  };
  const facts = new RequestFacts('/v1/chat/completions', {
    requestId: 'req_1',
    clock: systemClock,
    bodies: new ByteBudget(0),
  });
  return {
    stream,
    estimate: { of: () => null },
    facts,
    errors: chatErrors,
    services,
  } as unknown as StreamRelay;
}

test('an end that throws behind the head settles once, and the client is told inside the stream', async () => {
  const log: string[] = [];
  const throwing = relayOf(() => {
    throw new RangeError('too deep');
  }, log);
  const told = await new Response(relayStream(throwing)).text();
  expect(told).toStartWith('data: {}\n\n');
  expect(told).toContain('The model provider failed.');
  expect(log).toEqual(['cancelled', 'settled']);
});

test('a stop ends an answer whose client left while its rest was asked for, and every other one', async () => {
  const log: string[] = [];
  const relay = relayOf(() => new Uint8Array(), log);
  const asked = Promise.withResolvers<void>();
  const rescue: NonNullable<StreamRelay['rescue']> = {
    fits: () => true,
    goOn: () => {
      asked.resolve();
      return new Promise(() => undefined);
    },
    abandon: () => log.push('abandoned'),
  };
  const translator = Object.assign(relay.stream.translator, { isComplete: false, isEnded: false });
  const reader = relayStream({ ...relay, stream: { ...relay.stream, translator }, rescue }).getReader();
  await reader.read();
  await asked.promise;
  await reader.cancel();
  expect(log).toEqual(['cancelled', 'abandoned']);
  const broken = {
    interrupt: () => {
      throw new TypeError('no controller');
    },
  };
  const last = { interrupt: () => log.push('interrupted') };
  const { relays } = relay.services;
  interruptRelays({ ...relay.services, relays: new Set([broken, ...relays, last]) });
  expect(log.slice(2)).toEqual(['an answer could not be interrupted', 'cancelled', 'settled', 'interrupted']);
});

test('an end whose usage cannot be estimated settles all the same', async () => {
  const log: string[] = [];
  const relay = relayOf(() => new Uint8Array(), log);
  const throwing = () => {
    throw new RangeError('too deep');
  };
  const estimate = { of: throwing } as unknown as StreamRelay['estimate'];
  const told = await new Response(relayStream({ ...relay, estimate })).text();
  expect(told).toBe('data: {}\n\n');
  expect(log).toEqual(['usage could not be estimated', 'settled']);
});

test('a request that cannot be settled gives back what it held, and its end does not throw', () => {
  const log: string[] = [];
  const { facts, services } = relayOf(() => new Uint8Array(), log);
  facts.ticket = {
    requests: null,
    tokens: null,
    countsTokens: false,
    reserve: () => undefined,
    close: () => log.push('place given back'),
  };
  const end = { status: 429, outcome: 'refused', errorCode: 'rate_limited' } as const;
  const refused = () => {
    throw new RangeError('no such label');
  };
  const metrics = Object.assign(services.metrics, { refused });
  expect(settleRequest(facts, end, { ...services, metrics })).toBe(true);
  expect(settleRequest(facts, end, { ...services, metrics })).toBe(false);
  expect(log).toEqual(['settled', 'place given back', 'place given back', 'a request could not be settled']);
});

test('of many streams that get a piece at once so many are relayed in one turn of the event loop', async () => {
  let endTurn = (): void => undefined;
  const turns = new Turns({
    most: 2,
    afterThisTurn: (run) => {
      endTurn = run;
    },
  });
  let relayed = 0;
  const relays = Array.from({ length: 5 }, () => {
    const { stream, estimate, facts, errors, services } = relayOf(() => new Uint8Array(), []);
    const translator = {
      ...stream.translator,
      isEnded: false,
      push: (block: Uint8Array) => {
        relayed += 1;
        return block;
      },
    };
    const reader = { read: async () => ({ done: false, value: Buffer.from('data: {}\n\n') }) };
    const call = { ...stream.call, awaitPiece: () => undefined, receivedPiece: () => undefined };
    const going = {
      ...stream,
      translator,
      reader,
      call,
      isDone: false,
      frames: new ReadableFrames(1000, () => undefined),
    };
    return {
      stream: going,
      estimate,
      facts,
      errors,
      services: { ...services, turns },
    } as unknown as StreamRelay;
  });
  const readers = relays.map((relay) => relayStream(relay).getReader());
  for (const reader of readers) await reader.read();
  const pieces = readers.map((reader) => reader.read());
  const relayedBy = async (after: () => void) => {
    after();
    await Bun.sleep(0);
    return relayed;
  };
  expect([
    await relayedBy(() => undefined),
    await relayedBy(() => endTurn()),
    await relayedBy(() => endTurn()),
  ]).toEqual([2, 4, 5]);
  expect((await Promise.all(pieces)).every(({ done }) => !done)).toBe(true);
});

test('a client that goes before it has taken the last words leaves nothing owed', async () => {
  const log: string[] = [];
  const relay = relayOf(() => new Uint8Array(), log);
  const { stream, services } = relay;
  Object.assign(stream.translator, { isComplete: false, isEnded: false });
  Object.assign(stream.call, { linger: () => undefined, awaitPiece: () => undefined });
  Object.assign(services.settlement, { owe: () => log.push('owed') });
  const reader = { read: () => Promise.reject(new Error('cut')), cancel: async () => undefined };
  Object.assign(stream, { isDone: false, reader });
  const client = relayStream(relay).getReader();
  await client.read();
  // Nobody asks for more at present, so that the error waits in the queue.
  interruptRelays(services);
  await client.cancel();
  await new Promise((resolve) => setImmediate(resolve));
  expect(log).toEqual(['cancelled', 'settled']);
});
