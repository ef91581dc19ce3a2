/** Plays every scenario with one official client against every upstream protocol. */
import { afterAll, beforeAll, beforeEach, describe, test } from 'bun:test';
import type { TestSluice } from '../sluice.ts';
import { conversations } from './conversations.ts';
import { failures } from './failures.ts';
import { money } from './money.ts';
import type { MatrixClient } from './talk.ts';
import { thinkingScenarios } from './thinking.ts';
import { startMatrixSluice, upstreamCases } from './upstreams.ts';

const scenarios = [...conversations, ...thinkingScenarios, ...money, ...failures];

/** Defines the tests, and hands out the Sluice they play on. */
export function runMatrix(client: MatrixClient): () => TestSluice {
  let running: TestSluice | undefined;
  const sluice = (): TestSluice => {
    if (running === undefined) throw new Error('it has not started yet');
    return running;
  };
  beforeAll(async () => {
    running = await startMatrixSluice();
  });
  afterAll(() => running?.stop());
  beforeEach(() => sluice().upstream.forget());

  for (const upstream of upstreamCases) {
    for (const streamed of [false, true]) {
      describe(`${client.name} over ${upstream.protocol}, ${streamed ? 'streamed' : 'whole'}`, () => {
        for (const { title, fits, play } of scenarios) {
          if (fits?.(client, upstream, streamed) === false) continue;
          test(title, () => {
            const talk = client.open(sluice(), upstream.model, streamed);
            return play({ client, upstream, streamed, sluice: sluice(), talk });
          });
        }
      });
    }
  }
  return sluice;
}
