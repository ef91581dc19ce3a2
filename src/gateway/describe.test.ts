import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startTestSluice, type TestSluice } from '../../test/support/sluice.ts';
import { describedEndpoints } from './described-endpoints.ts';
import { gatewayAddresses } from './index.ts';

let sluice: TestSluice;
beforeAll(async () => {
  sluice = await startTestSluice();
});
afterAll(() => sluice.stop());

/** Said to be the same as another that is described. */
const sameAsOthers = /^\/v2\/rerank$|^\/v1\/codex\/responses$|tunedModels|^\/v1\/models\/\{model\}:/;

/** As the description writes what the router's pattern says. */
const plainOf = (pattern: string): string =>
  pattern
    .replace(/:(\w+)\{\.\+\(\?::\|%3\[aA\]\)(\w+)\}/, '{$1}:$2')
    .replace(/:(\w+)\{[^}]*\}/g, '{$1}')
    .replace(/\/:(\w+)(?=\/|$)/g, '/{$1}');

test('every endpoint is described, and nothing else', () => {
  const mounted = gatewayAddresses
    .map(({ method, path }) => `${method} ${plainOf(path)}`)
    .filter((address) => !sameAsOthers.test(address.split(' ')[1] ?? ''));
  const described = describedEndpoints.map(({ method, path }) => `${method} ${path}`);
  expect(mounted.map((one) => one.replace('{id}', '{model}')).toSorted()).toEqual(
    described.map((one) => one.replace('{id}', '{model}')).toSorted(),
  );
});

test('what is paid is what can be refused with 402', async () => {
  const answer = await fetch(`${sluice.url}/openapi/gateway.json`);
  expect(answer.status).toBe(200);
  const description = await answer.json();
  expect(description.openapi).toBe('3.1.0');
  for (const { method, path, isPaid } of describedEndpoints) {
    const operation = description.paths[path][method.toLowerCase()];
    expect([path, '402' in operation.responses]).toEqual([path, isPaid]);
  }
});

test('every reference of the description leads somewhere', async () => {
  const text = await (await fetch(`${sluice.url}/openapi/gateway.json`)).text();
  const description = JSON.parse(text);
  const references = new Set([...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path ?? ''));
  expect(references.size).toBeGreaterThan(3);
  for (const reference of references) {
    const found = reference.split('/').reduce((part, key) => part?.[key], description);
    expect([reference, typeof found]).toEqual([reference, 'object']);
  }
});
