/** Pages and filters of the account API 2.0 over HTTP, which are the same for all of its lists. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { systemIds } from '../../src/base/ids.ts';
import { createUser } from '../../src/identity/index.ts';
import {
  type AskApi,
  askApiAs,
  basicOf,
  readApiErrors,
  readApiList,
  readApiObjects,
} from '../support/account-client.ts';
import { startTestSluice, type TestSluice } from '../support/sluice.ts';
import { type Write, writerOn } from '../support/writing.ts';

const contactsPath = '/api/2.0/notification_contacts/';
const preferencesPath = '/api/2.0/notification_preferences/';
const password = 'a long enough password';
const nobodys = '8f2bd7f0-5b2c-4a7e-9f57-3f4a1f9c2d10';

let sluice: TestSluice;
let write: Write;
let people = 0;
/** Of a person who was made for the test. */
let ask: AskApi;

beforeAll(async () => {
  sluice = await startTestSluice();
  const { storage, clock } = sluice.running.services;
  write = writerOn({ storage, clock, ids: systemIds });
});
afterAll(() => sluice.stop());

async function newPerson(): Promise<{ ask: AskApi }> {
  people += 1;
  const address = `person-${people}@example.test`;
  await write(createUser, { email: address, name: `Person ${people}`, role: 'member', password });
  return { ask: askApiAs(sluice.url, basicOf(address, password)) };
}

beforeEach(async () => {
  ({ ask } = await newPerson());
});

async function add(...objects: readonly object[]): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const made = await ask(contactsPath, { method: 'POST', json: { objects } });
  expect(made.status).toBe(201);
  return readApiObjects(made);
}

describe('lists', () => {
  const names = ['plain', 'a,b', 'a\\b', '100%', 'under_score', "quote's", 'ünï'];

  test('have pages, all of it with 0, and nothing past the end', async () => {
    await add(...Array.from({ length: 24 }, (_, index) => ({ email: `c${index}@example.test` })));
    const page = async (query: string) => readApiList(await ask(`${contactsPath}${query}`));
    expect((await page('')).objects).toHaveLength(20);
    expect((await page('?offset=20')).objects).toHaveLength(5);
    expect((await page('?offset=20')).meta).toEqual({ limit: 20, offset: 20, total_count: 25 });
    expect(await page('?offset=25')).toEqual({
      meta: { limit: 20, offset: 25, total_count: 25 },
      objects: [],
    });
    expect((await page('?offset=999999999999999')).objects).toEqual([]);
    const all = await page('?limit=0');
    expect(all.meta).toEqual({ limit: 0, offset: 0, total_count: 25 });
    expect(all.objects).toHaveLength(25);
    const walked = [];
    for (let offset = 0; offset < 25; offset += 7)
      walked.push(...(await page(`?limit=7&offset=${offset}`)).objects);
    expect(walked).toEqual(all.objects);
    expect((await page('?limit=0&offset=23')).objects).toEqual(all.objects.slice(23));
    expect((await page('?limit=3&offset=1')).objects).toEqual(all.objects.slice(1, 4));
    for (const query of [
      'limit=-1',
      'limit=x',
      'limit=',
      'offset=1.5',
      'offset=1e3',
      'offset=9999999999999999',
      'limit=1&limit=2',
    ]) {
      const refused = await ask(`${contactsPath}?${query}`);
      expect([query, refused.status]).toEqual([query, 400]);
      expect(readApiErrors(refused)[0]).toMatchObject({
        error_point: query.split('=')[0] ?? '',
        error_type: 'validation',
      });
    }
  });

  test('are filtered by a field or by what it contains, with commas for or and a backslash to escape', async () => {
    await add(
      ...names.map((name, index) => ({ email: `n${index}@example.test`, name, phone: `+49${index}00` })),
    );
    const found = async (query: Record<string, string>) => {
      const answer = await ask(`${contactsPath}?${new URLSearchParams(query)}`);
      return readApiList(answer).objects.map((one) => one['name']);
    };
    expect(await found({ name: 'plain' })).toEqual(['plain']);
    expect(await found({ name__exact: 'plain' })).toEqual(['plain']);
    expect(await found({ name: 'Plain' })).toEqual([]);
    expect(await found({ name: 'plain,100%' })).toEqual(['plain', '100%']);
    expect(await found({ name: 'a\\,b' })).toEqual(['a,b']);
    expect(await found({ name: 'a\\\\b' })).toEqual(['a\\b']);
    expect(await found({ name: 'a,b' })).toEqual([]);
    expect(await found({ name__contains: '_' })).toEqual(['under_score']);
    expect(await found({ name__contains: '%' })).toEqual(['100%']);
    expect(await found({ name__contains: "'s,ünï" })).toEqual(["quote's", 'ünï']);
    expect(await found({ name__contains: 'n', email__contains: 'n0@' })).toEqual(['plain']);
    expect(await found({ main: 'true' })).toEqual([`Person ${people}`]);
    expect(await found({ main: 'null' })).toEqual(names);
    expect(await found({ phone__contains: '+495' })).toEqual(["quote's"]);
    const [first = {}] = readApiList(await ask(`${contactsPath}?name=plain`)).objects;
    expect(await found({ uuid: String(first['uuid']) })).toEqual(['plain']);
    expect(await found({ resource_uri: String(first['resource_uri']) })).toEqual(['plain']);
    expect(await found({ uuid: 'no uuid at all' })).toEqual([]);
    const { meta } = readApiList(await ask(`${contactsPath}?main=null&limit=2&offset=6`));
    expect(meta).toEqual({ limit: 2, offset: 6, total_count: 7 });
    for (const [query, point] of [
      ['nonsense=1', 'nonsense'],
      ['name__startswith=a', 'name__startswith'],
      ['name__contains__contains=a', 'name__contains__contains'],
      ['__contains=a', '__contains'],
      ['user_id=1', 'user_id'],
      ['name=a%5C', 'name'],
      ['name=a%00b', 'name'],
      [`name=${'a,'.repeat(200)}`, 'name'],
      [`name=${'a,'.repeat(60)}&email=${'a,'.repeat(60)}`, 'email'],
      [Array(30).fill('name=a').join('&'), 'name'],
    ] as const) {
      const refused = await ask(`${contactsPath}?${query}`);
      expect([query, refused.status]).toEqual([query, 400]);
      expect(readApiErrors(refused)[0]).toMatchObject({ error_point: point, error_type: 'validation' });
    }
  });

  test('of preferences are filtered by contact, medium, kind and value', async () => {
    const [made = {}] = await add({ email: 'a@example.test' });
    const count = async (query: string) =>
      readApiList(await ask(`${preferencesPath}?${query}`)).meta.total_count;
    expect(await count('')).toBe(44);
    expect(await count(`contact=${made['resource_uri']}`)).toBe(22);
    expect(await count(`contact__contains=${made['uuid']}`)).toBe(22);
    expect(await count('type=payment,new_account')).toBe(4);
    expect(await count('type__contains=payment')).toBe(10);
    expect(await count(`type=payment&contact=${made['resource_uri']}&value=true`)).toBe(1);
    expect(await count('value=false')).toBe(10);
    expect(await count('medium=email')).toBe(44);
    expect(await count('medium=pigeon')).toBe(0);
    expect(await count(`contact=${contactsPath}${nobodys}/`)).toBe(0);
  });
});
