/** Every address in `routes.golden.tsv`: what it answers, who may, and whether it is here yet. The file is held to what is mounted. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Route } from '../../src/portal/route.ts';
import { portalRoutes } from '../../src/portal/routes.ts';
import { startTestSluice, type TestSluice, usualModel, usualProvider } from '../support/sluice.ts';

interface GoldenRoute {
  readonly method: string;
  readonly path: string;
  readonly answers: string;
  readonly auth: string;
  /** `here`, `later` for what is promised and not built yet, `beyond` for what was never promised. */
  readonly state: string;
}

const golden = readRows(join(import.meta.dir, 'routes.golden.tsv')).map(
  ([method = '', path = '', answers = '', auth = '', state = '']): GoldenRoute => ({
    method,
    path,
    answers,
    auth,
    state,
  }),
);
function readRows(file: string): readonly (readonly string[])[] {
  const [, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => line.split('\t'));
}

const keyOf = ({ method, path }: Pick<GoldenRoute, 'method' | 'path'>) => `${method} ${path}`;

const answersOf: Readonly<Record<Route['answers'], string>> = {
  page: 'html',
  action: 'json',
  json: 'json',
  redirect: 'redirect',
  csv: 'csv',
  file: 'file',
};

function authOf({ access, fromElsewhere }: Route): string {
  if (fromElsewhere === true) return 'signature';
  if (access === 'anyone') return 'none';
  return access === 'session' || access === 'member' ? 'session' : 'admin';
}

describe('the list of routes', () => {
  test('names each once', () => {
    const keys = golden.map(keyOf);
    expect(new Set(keys).size).toBe(keys.length);
    for (const { state } of golden) expect(['here', 'later', 'beyond']).toContain(state);
  });

  test('says of every page and action of the portal what its row says', () => {
    const told = new Map(golden.map((row) => [keyOf(row), row]));
    for (const row of portalRoutes) {
      const route = told.get(keyOf(row));
      expect([keyOf(row), route?.answers, route?.auth]).toEqual([
        keyOf(row),
        answersOf[row.answers],
        authOf(row),
      ]);
      expect(['here', 'beyond']).toContain(route?.state ?? 'missing');
    }
  });
});

describe('asked without a key and without a session', () => {
  let sluice: TestSluice;
  beforeAll(async () => {
    sluice = await startTestSluice({
      // The request of the start page is there where a simulator is.
      file: (url) => ({
        providers: [usualProvider(url), { name: 'simulator', kind: 'simulator' }],
        models: [{ ...usualModel, providers: [{ provider: 'simulator', upstream_id: 'simulator' }] }],
      }),
    });
  });
  afterAll(() => sluice.stop());

  test.each(golden.map((row) => [keyOf(row), row] as const))('%s is as the list says', async (_key, row) => {
    const path = row.path.replaceAll(/\{\w+\}/g, '1');
    const init = { method: row.method, redirect: 'manual' } as const;
    const { status } = await fetch(`${sluice.url}${path}`, init);
    if (row.state === 'later') {
      expect([404, 405]).toContain(status);
      return;
    }
    expect([404, 405]).not.toContain(status);
    expect(status).toBeLessThan(500);
    const isOpen = row.auth === 'none' || row.auth === 'signature';
    if (!isOpen) expect(status).toBe(401);
  });
});
