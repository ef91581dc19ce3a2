/** Contacts and preferences of the account API 2.0 over HTTP, rule by rule. */
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
const uuidShape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const nobodys = '8f2bd7f0-5b2c-4a7e-9f57-3f4a1f9c2d10';

let sluice: TestSluice;
let write: Write;
let people = 0;
let email: string;
/** Of a person who was made for the test. */
let ask: AskApi;

beforeAll(async () => {
  sluice = await startTestSluice();
  const { storage, clock } = sluice.running.services;
  write = writerOn({ storage, clock, ids: systemIds });
});
afterAll(() => sluice.stop());

async function newPerson(): Promise<{ email: string; ask: AskApi }> {
  people += 1;
  const address = `person-${people}@example.test`;
  await write(createUser, { email: address, name: `Person ${people}`, role: 'member', password });
  return { email: address, ask: askApiAs(sluice.url, basicOf(address, password)) };
}

beforeEach(async () => {
  ({ email, ask } = await newPerson());
});

async function add(...objects: readonly object[]): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const made = await ask(contactsPath, { method: 'POST', json: { objects } });
  expect(made.status).toBe(201);
  return readApiObjects(made);
}
const emailsOf = (objects: readonly Readonly<Record<string, unknown>>[]) =>
  objects.map((one) => one['email']);

describe('contacts', () => {
  test('the main one is there from the first moment, and 22 preferences with it', async () => {
    const listed = await ask(contactsPath);
    expect(listed.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(listed.headers.get('x-request-id')).toMatch(uuidShape);
    const { meta, objects } = readApiList(listed);
    expect(meta).toEqual({ limit: 20, offset: 0, total_count: 1 });
    expect(objects).toEqual([
      {
        ...{ email, name: `Person ${people}`, phone: '', main: true },
        uuid: expect.stringMatching(uuidShape),
        resource_uri: `${contactsPath}${objects[0]?.['uuid']}/`,
      },
    ]);
    const preferences = readApiList(await ask(preferencesPath));
    // Of 22, the first page.
    expect(preferences.meta).toEqual({ limit: 20, offset: 0, total_count: 22 });
    expect(preferences.objects).toHaveLength(20);
    expect(preferences.objects[0]).toEqual({
      ...{ contact: objects[0]?.['resource_uri'], medium: 'email', type: 'drives_delete', value: false },
    });
  });

  test('are added, told where they are, and have their preferences at once', async () => {
    const made = await ask(contactsPath, {
      method: 'POST',
      json: { objects: [{ email: 'Ops@Example.test', name: 'Operations', phone: '+44 20 7946-0018' }] },
    });
    expect(made.status).toBe(201);
    const [contact = {}] = readApiObjects(made);
    expect(made.json).toEqual({
      objects: [
        {
          ...{ email: 'Ops@Example.test', name: 'Operations', phone: '+442079460018', main: null },
          ...{ uuid: contact['uuid'], resource_uri: `${contactsPath}${contact['uuid']}/` },
        },
      ],
    });
    expect(made.headers.get('location')).toBe(String(contact['resource_uri']));
    expect((await ask(String(contact['resource_uri']))).json).toEqual(contact);
    expect((await ask(String(contact['resource_uri']).slice(0, -1))).json).toEqual(contact);
    const preferences = readApiList(
      await ask(`${preferencesPath}?limit=0&contact=${contact['resource_uri']}`),
    );
    expect(preferences.meta).toEqual({ limit: 0, offset: 0, total_count: 22 });
    expect(new Set(preferences.objects.map((one) => one['type'])).size).toBe(22);
    const several = await ask(contactsPath, {
      method: 'POST',
      json: { objects: [{ email: 'a@example.test' }, { email: 'b@example.test', name: '', phone: '' }] },
    });
    expect(emailsOf(readApiObjects(several))).toEqual(['a@example.test', 'b@example.test']);
    expect(several.headers.get('location')).toBe(contactsPath);
    expect(emailsOf(readApiList(await ask(contactsPath)).objects)).toEqual([
      ...[email, 'Ops@Example.test', 'a@example.test', 'b@example.test'],
    ]);
  });

  test.each([
    [{}, 'objects'],
    [{ objects: [] }, 'objects'],
    [{ objects: {} }, 'objects'],
    [[], null],
    [null, null],
    ['text', null],
    [{ objects: [{ name: 'No address' }] }, 'email'],
    [{ objects: [{ email: 'not an address' }] }, 'email'],
    [{ objects: [{ email: 'a@b\r\nBcc: c@d' }] }, 'email'],
    [{ objects: [{ email: 7 }] }, 'email'],
    [{ objects: [{ email: 'a@example.test', phone: 'call me' }] }, 'phone'],
    [{ objects: [{ email: 'a@example.test', phone: '+1'.repeat(40) }] }, 'phone'],
    [{ objects: [{ email: 'a@example.test', name: 'a\u0000b' }] }, 'name'],
    [{ objects: [{ email: 'a@example.test', name: 'x'.repeat(101) }] }, 'name'],
    [{ objects: [{ email: 'a@example.test', name: 'half \ud83c' }] }, 'name'],
    [{ objects: [{ email: 'a@example.test', main: true }] }, 'main'],
    [{ objects: [{ email: 'a@example.test', role: 'owner' }] }, 'role'],
    [{ objects: [{ email: 'fine@example.test' }, { email: 'wrong' }] }, 'email'],
    [{ objects: [{ email: 'a@example.test' }], more: 1 }, 'more'],
    [{ objects: Array(1_001).fill({ email: 'a@example.test' }) }, 'objects'],
  ])('are not added, none of them, where what is wrong is %#', async (json, point) => {
    const refused = await ask(contactsPath, { method: 'POST', json });
    expect(refused.status).toBe(400);
    const [first] = readApiErrors(refused);
    expect(first).toMatchObject({ error_type: 'validation', error_point: point });
    expect(readApiList(await ask(contactsPath)).meta.total_count).toBe(1);
  });

  test('are refused with the place of each mistake, of which twenty are told', async () => {
    const send = (objects: readonly unknown[]) => ask(contactsPath, { method: 'POST', json: { objects } });
    const refused = await send([{ email: 'a@example.test' }, { email: 'wrong', phone: 'call me' }, {}]);
    expect(readApiErrors(refused).map((one) => one.error_message.split(' ')[0])).toEqual([
      ...['objects[1].email', 'objects[1].phone', 'objects[2].email'],
    ]);
    for (const wrong of [{ email: 'wrong' }, { name: 7 }, { email: 'a@example.test', one: 1, two: 2 }]) {
      expect(readApiErrors(await send(Array(50).fill(wrong)))).toHaveLength(20);
    }
  });

  test('have a name as it was given, of whatever script', async () => {
    const name = '北京 🌊 Ünal';
    const [made = {}] = await add({ email: 'a@example.test', name });
    const path = String(made['resource_uri']);
    expect((await ask(path)).json).toMatchObject({ name });
    // Half of a surrogate pair would be stored as another character than the answer tells.
    const refused = await ask(path, { method: 'PUT', json: { name: '\ud800' } });
    expect([refused.status, readApiErrors(refused)[0]?.error_point]).toEqual([400, 'name']);
    expect((await ask(path)).json).toMatchObject({ name });
  });

  test('are changed in what is given alone; what cannot be changed may be sent back as it is', async () => {
    const [made = {}] = await add({ email: 'a@example.test', name: 'A', phone: '030 1234' });
    const path = String(made['resource_uri']);
    const changed = await ask(path, { method: 'PUT', json: { email: 'z@example.test', name: 'Z' } });
    expect(changed.status).toBe(200);
    const after = { ...made, email: 'z@example.test', name: 'Z' };
    expect(changed.json).toEqual({ ...after, pk: made['uuid'] });
    expect((await ask(path)).json).toEqual(after);
    expect((await ask(path, { method: 'PUT', json: {} })).json).toEqual({ ...after, pk: made['uuid'] });
    const echoed = await ask(path, { method: 'PUT', json: { ...after, pk: made['uuid'], phone: '' } });
    expect(echoed.json).toEqual({ ...after, phone: '', pk: made['uuid'] });
    // No and nothing mean the same of an ordinary contact.
    expect((await ask(path, { method: 'PUT', json: { main: false } })).json).toEqual(echoed.json);
    for (const [json, point] of [
      [{ main: true }, 'main'],
      [{ main: 0 }, 'main'],
      [{ uuid: nobodys, name: 'Never' }, 'uuid'],
      [{ email: '' }, 'email'],
      [{ email: null }, 'email'],
      [{ nonsense: 1 }, 'nonsense'],
    ] as const) {
      const refused = await ask(path, { method: 'PUT', json });
      expect(refused.status).toBe(400);
      expect(readApiErrors(refused)[0]).toMatchObject({ error_type: 'validation', error_point: point });
    }
    expect((await ask(path)).json).toEqual({ ...after, phone: '' });
  });

  test('are the main one or not, which is not changed', async () => {
    const [main = {}] = readApiList(await ask(contactsPath)).objects;
    const path = String(main['resource_uri']);
    expect((await ask(path, { method: 'PUT', json: { main: true, name: 'Me' } })).status).toBe(200);
    for (const no of [false, null]) {
      const refused = await ask(path, { method: 'PUT', json: { main: no, name: 'Never' } });
      expect([refused.status, readApiErrors(refused)[0]?.error_point]).toEqual([400, 'main']);
    }
    expect((await ask(path)).json).toEqual({ ...main, name: 'Me' });
  });

  test('are removed with their preferences; the main one is not', async () => {
    const [made = {}] = await add({ email: 'a@example.test' });
    const gone = await ask(String(made['resource_uri']), { method: 'DELETE' });
    expect([gone.status, gone.text, gone.headers.get('content-type')]).toEqual([204, '', null]);
    expect((await ask(String(made['resource_uri']))).status).toBe(404);
    expect((await ask(String(made['resource_uri']), { method: 'DELETE' })).status).toBe(404);
    expect(readApiList(await ask(preferencesPath)).meta.total_count).toBe(22);
    const [main = {}] = readApiList(await ask(contactsPath)).objects;
    const kept = await ask(String(main['resource_uri']), { method: 'DELETE' });
    expect(kept.status).toBe(403);
    expect(readApiErrors(kept)).toEqual([
      {
        ...{ error_point: null, error_type: 'permission' },
        error_message: expect.stringContaining('main contact'),
      },
    ]);
    expect(readApiList(await ask(contactsPath)).meta.total_count).toBe(1);
  });

  test("another account's, one that nobody has and one that is no uuid are not there", async () => {
    const other = await newPerson();
    const [theirs = {}] = readApiList(await other.ask(contactsPath)).objects;
    const paths = [
      theirs['resource_uri'],
      `${contactsPath}${nobodys}/`,
      `${contactsPath}1/`,
      `${contactsPath}%00/`,
    ];
    for (const path of paths.map(String)) {
      for (const init of [{}, { method: 'PUT', json: { name: 'Mine' } }, { method: 'DELETE' }]) {
        const refused = await ask(path, init);
        expect([path, refused.status]).toEqual([path, 404]);
        expect(readApiErrors(refused)[0]?.error_type).toBe('notexist');
      }
    }
    expect((await other.ask(String(theirs['resource_uri']))).json).toEqual(theirs);
  });
});

describe('preferences', () => {
  const put = (json: unknown) => ask(preferencesPath, { method: 'PUT', json });
  const mainUri = async () => String(readApiList(await ask(contactsPath)).objects[0]?.['resource_uri']);
  const told = async (contact: string, type: string) => {
    const { objects } = readApiList(await ask(`${preferencesPath}?contact=${contact}&type=${type}`));
    return objects.map((one) => one['value']);
  };

  test('are changed one at a time or as a list, and no other is', async () => {
    const contact = await mainUri();
    const before = readApiList(await ask(`${preferencesPath}?limit=0`)).objects;
    const one = { contact, medium: 'email', type: 'payment', value: false };
    const changed = await put(one);
    expect([changed.status, changed.json]).toEqual([202, { objects: [one] }]);
    const several = [
      { contact, medium: 'email', type: 'random_upgrade', value: true },
      { contact, medium: 'email', type: 'payment', value: true },
    ];
    expect((await put(several)).json).toEqual({ objects: several });
    const after = readApiList(await ask(`${preferencesPath}?limit=0`)).objects;
    expect(after).toEqual(
      before.map((was) => (was['type'] === 'random_upgrade' ? { ...was, value: true } : was)),
    );
  });

  test('are changed all or none', async () => {
    const contact = await mainUri();
    const other = await newPerson();
    const [theirs = {}] = readApiList(await other.ask(contactsPath)).objects;
    const good = { contact, medium: 'email', type: 'payment', value: false };
    for (const [wrong, point] of [
      [{ ...good, type: 'no_such_kind' }, 'type'],
      [{ ...good, medium: 'sms' }, 'medium'],
      [{ ...good, contact: `${contactsPath}${nobodys}/` }, 'contact'],
      [{ ...good, contact: theirs['resource_uri'] }, 'contact'],
      [{ ...good, contact: 'main' }, 'contact'],
      [{ ...good, value: 'false' }, 'value'],
      [{ ...good, extra: 1 }, 'extra'],
      [{ contact, medium: 'email', type: 'payment' }, 'value'],
      [7, null],
    ] as const) {
      const refused = await put([good, wrong]);
      expect(refused.status).toBe(400);
      expect(readApiErrors(refused)[0]).toMatchObject({ error_type: 'validation', error_point: point });
      expect(await told(contact, 'payment')).toEqual([true]);
    }
    const places = async (json: unknown) =>
      readApiErrors(await put(json)).map(({ error_message: message }) => message.split(' ')[0]);
    const wrongs = [
      { ...good, type: 'none' },
      { ...good, contact: 'main' },
      { ...good, value: 1 },
    ];
    expect(await places([good, ...wrongs])).toEqual(['[1].type', '[3].value']);
    expect(await places([good, wrongs[1]])).toEqual(['[1].contact']);
    // One that came by itself is in no list.
    expect((await Promise.all(wrongs.map(places))).flat()).toEqual(['type', 'contact', 'value']);
    for (const nothing of [[], {}, null]) expect((await put(nothing)).status).toBe(400);
    expect(await told(String(theirs['resource_uri']), 'payment')).toEqual([]);
  });
});
