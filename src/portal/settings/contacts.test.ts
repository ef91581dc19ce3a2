import { expect, test } from 'bun:test';
import type { TestDatabase } from '../../../test/support/databases.ts';
import { within } from '../../../test/support/writing.ts';
import { onlyOf } from '../../base/scope.ts';
import { changePreferences, readContactMatrix } from '../../notifications/index.ts';
import { type TestPortal, withTestPortal } from '../testing/test-portal.ts';

const path = '/dashboard/settings/notifications';
let storage: TestDatabase;
let portal: TestPortal;
withTestPortal((opened) => {
  ({ storage, portal } = opened);
});

const contactsOf = async (userId: number) =>
  (await readContactMatrix(onlyOf(userId), storage.db, { offset: 0, limit: 10 })).contacts;
const asForm = (cookie: string) => ({ cookie, accept: 'text/html' });

test('a contact is added, changed and removed by forms, and shown with what it is told', async () => {
  const { user, cookie } = await portal.signedIn();
  const fields = { email: 'ops@example.test', name: 'Ops & co', phone: '+49 30 1', language: 'fr' };
  const added = await portal.sendForm(`${path}/contacts`, fields, asForm(cookie));
  expect([added.status, added.location]).toEqual([303, path]);
  const [main, made] = await contactsOf(user.id);
  expect(made).toMatchObject({ ...fields, phone: '+49301', main: false });
  const shown = await portal.ask(path, { headers: asForm(cookie) });
  expect(shown.text).toContain('Ops &amp; co');
  expect(shown.text).toContain(user.email);
  expect(shown.text.match(/type="checkbox"/g)).toHaveLength(44);
  const [sent = '', never = ''] = shown.text.split('>Not sent here yet<');
  expect([sent, never].map((part) => part.includes('>Drives are deleted<'))).toEqual([false, true]);
  expect(never).not.toContain('>An API key has expired<');
  expect(shown.text).toMatch(/A password is to be reset<span[^>]*> · always told</);
  expect(shown.text).toMatch(/Balance, credit or a budget is getting low<\/th>/);
  const page = `${path}/contacts/${made?.uuid}`;
  const one = await portal.ask(page, { headers: asForm(cookie) });
  expect(one.text).toContain('value="ops@example.test"');
  const changed = await portal.sendForm(page, { email: 'desk@example.test', language: '' }, asForm(cookie));
  expect(changed.location).toBe(path);
  expect((await contactsOf(user.id))[1]).toMatchObject({
    email: 'desk@example.test',
    name: '',
    language: null,
  });
  const refused = await portal.sendForm(page, { email: 'no address' }, asForm(cookie));
  expect(refused.location).toBe(page);
  expect((await portal.sendForm(`${page}/remove`, {}, asForm(cookie))).location).toBe(path);
  expect(await contactsOf(user.id)).toHaveLength(1);
  const kept = await portal.sendJson(`${path}/contacts/${main?.uuid}/remove`, {}, { cookie });
  expect(kept.status).toBe(403);
});

test('what contacts are told is set as it is ticked, for those on the page alone', async () => {
  const { user, cookie } = await portal.signedIn();
  await portal.sendForm(`${path}/contacts`, { email: 'second@example.test' }, asForm(cookie));
  const [main, second] = await contactsOf(user.id);
  const sent = { contact: [main?.uuid], on: [`${main?.uuid}:payment`, `${main?.uuid}:random_upgrade`] };
  const saved = await portal.sendJson(`${path}/preferences`, sent, { cookie });
  expect(saved.status).toBe(200);
  const [mainNow, secondNow] = await contactsOf(user.id);
  expect(mainNow?.kinds).toEqual(['payment', 'random_upgrade']);
  expect(secondNow?.kinds).toEqual(second?.kinds ?? []);
  const none = { contact: main?.uuid ?? '' };
  await portal.sendForm(`${path}/preferences`, none, asForm(cookie));
  expect((await contactsOf(user.id))[0]?.kinds).toEqual([]);
});

test('what was left as it was drawn stays as it is meanwhile, such as mails that somebody has stopped', async () => {
  const { user, cookie } = await portal.signedIn();
  const { text } = await portal.ask(path, { headers: asForm(cookie) });
  const [main] = await contactsOf(user.id);
  const uuid = main?.uuid ?? '';
  const was = [...text.matchAll(/name="was" value="([^"]*)"/g)].map(([, value]) => value ?? '');
  const [stopped = '', unticked = ''] = was.filter((each) => each !== '');
  const kindOf = (name: string) => name.replace(`${uuid}:`, '');
  const change = { contact: uuid, medium: 'email', kind: kindOf(stopped), enabled: false };
  await portal.write(within(onlyOf(user.id), changePreferences), [change]);
  const on = was.filter((each) => each !== '' && each !== unticked);
  const saved = await portal.sendJson(`${path}/preferences`, { contact: uuid, on, was }, { cookie });
  expect(saved.status).toBe(200);
  const kinds = (await contactsOf(user.id))[0]?.kinds;
  expect(kinds).toEqual(
    (main?.kinds ?? []).filter((kind) => ![kindOf(stopped), kindOf(unticked)].includes(kind)),
  );
  const unchanged = await portal.sendJson(
    `${path}/preferences`,
    { contact: uuid, on, was: ['', ...on] },
    { cookie },
  );
  expect(unchanged.status).toBe(200);
});

test("another account's contact is not there, and nothing is set for it", async () => {
  const other = await portal.signedIn();
  const { cookie } = await portal.signedIn();
  const [theirs] = await contactsOf(other.user.id);
  const page = `${path}/contacts/${theirs?.uuid}`;
  expect((await portal.ask(page, { headers: { cookie } })).status).toBe(404);
  const fields = { email: 'mine@example.test' };
  expect((await portal.sendJson(page, fields, { cookie })).status).toBe(404);
  expect((await portal.sendJson(`${page}/remove`, {}, { cookie })).status).toBe(404);
  const told = await portal.sendJson(`${path}/preferences`, { contact: [theirs?.uuid], on: [] }, { cookie });
  expect(told.status).toBe(422);
  expect(await contactsOf(other.user.id)).toEqual(theirs === undefined ? [] : [theirs]);
});
