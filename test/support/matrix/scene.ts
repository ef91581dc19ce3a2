/** Where a scenario plays: one client, one upstream, whole or streamed. */
import { expect } from 'bun:test';
import type { StoredUsageRecord } from '../../../src/usage/index.ts';
import type { TestSluice } from '../sluice.ts';
import type { ReceivedRequest } from '../upstream/exchange.ts';
import type { MatrixClient, Talk, ToolSpec } from './talk.ts';
import type { UpstreamCase } from './upstreams.ts';

export interface Scene {
  readonly client: MatrixClient;
  readonly upstream: UpstreamCase;
  readonly streamed: boolean;
  readonly sluice: TestSluice;
  readonly talk: Talk;
}

export interface Scenario {
  readonly title: string;
  /** Left out where it cannot be. */
  fits?(client: MatrixClient, upstream: UpstreamCase, streamed: boolean): boolean;
  play(scene: Scene): Promise<void>;
}

export const weather: ToolSpec = {
  name: 'weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

export const clock: ToolSpec = { name: 'clock', parameters: { type: 'object', properties: {} } };

export function lastRequest({ sluice, upstream }: Scene): ReceivedRequest {
  const request = sluice.upstream.requests.at(-1);
  if (request === undefined) throw new Error('the upstream was not asked');
  expect(request.path).toMatch(upstream.path);
  return request;
}

export async function lastUsage({ sluice }: Scene): Promise<StoredUsageRecord> {
  const record = (await sluice.usage()).at(-1);
  if (record === undefined) throw new Error('nothing was recorded');
  return record;
}

/** At the usual model's prices. */
export function costOf(uncached: number, cached: number, output: number): bigint {
  return BigInt(uncached) * 150n + BigInt(cached) * 75n + BigInt(output) * 600n;
}

/** What the client threw. */
export async function errorOf(asking: Promise<unknown>): Promise<Error> {
  try {
    await asking;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error('it was answered');
}
