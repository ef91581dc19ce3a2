import { expect, test } from 'bun:test';
import { and, eq } from 'drizzle-orm';
import type { TestDatabase } from '../../../test/support/databases.ts';
import { subscriptionToken } from '../../notifications/unsubscribe.ts';
import { notificationContacts, notificationPreferences } from '../../storage/schema/contacts.ts';
import { languages } from '../languages/language.ts';
import { type TestPortal, withTestPortal } from '../testing/test-portal.ts';

const html = { accept: 'text/html' };
let storage: TestDatabase;
let portal: TestPortal;
withTestPortal((opened) => {
  ({ storage, portal } = opened);
});

async function newLink(kind = 'out_of_money_soon') {
  const { id: userId, email } = await portal.newUser();
  const [contact] = await storage.db
    .select()
    .from(notificationContacts)
    .where(eq(notificationContacts.userId, userId));
  const token = await subscriptionToken(portal.services.envelope, { contact: contact?.uuid ?? '', kind });
  const off = async () => {
    const rows = await storage.db
      .select()
      .from(notificationPreferences)
      .where(and(eq(notificationPreferences.userId, userId), eq(notificationPreferences.enabled, false)));
    return rows.map((row) => row.kind);
  };
  return { link: `/unsubscribe?${new URLSearchParams({ token })}`, userId, email, off, before: await off() };
}

test('the link opens a page with a button in every language, which changes nothing by itself', async () => {
  const { link, email, off, before } = await newLink();
  for (const language of languages) {
    const { status, text } = await portal.ask(link, { headers: { ...html, 'accept-language': language } });
    expect(status).toBe(200);
    expect(text).toContain(email);
    expect(text).toContain(`action="${link.replaceAll('&', '&amp;')}"`);
    expect(text).not.toMatch(/undefined|\[object/);
  }
  expect(await off()).toEqual(before);
});

test('the button stops its kind alone, and the page says so then', async () => {
  const { link, off, before } = await newLink();
  const pressed = await portal.sendForm(link, {});
  expect([pressed.status, pressed.location]).toEqual([303, link]);
  expect((await off()).filter((kind) => !before.includes(kind))).toEqual(['out_of_money_soon']);
  const { status, text } = await portal.ask(link, { headers: html });
  expect([status, text.includes('These mails are stopped')]).toEqual([200, true]);
  expect(text).not.toContain('<form method="post" action="/unsubscribe');
});

test('a mail program stops it with one click from anywhere, as often as it likes', async () => {
  const { link, off, before } = await newLink('payment');
  for (const _ of [1, 2]) {
    const { status } = await portal.ask(link, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'cross-site',
        origin: 'https://mail.example',
      },
      body: 'List-Unsubscribe=One-Click',
    });
    expect(status).toBe(200);
  }
  expect((await off()).filter((kind) => !before.includes(kind))).toEqual(['payment']);
});

test('one click is answered in place, whatever is accepted and in either form', async () => {
  const { link, userId, off, before } = await newLink('payment');
  const urlencoded = { type: 'application/x-www-form-urlencoded', body: 'List-Unsubscribe=One-Click' };
  const part = 'Content-Disposition: form-data; name="List-Unsubscribe"';
  const type = 'multipart/form-data; boundary=b';
  const multipart = { type, body: `--b\r\n${part}\r\n\r\nOne-Click\r\n--b--\r\n` };
  const click = ({ type, body }: typeof urlencoded) =>
    portal.ask(link, { method: 'POST', headers: { ...html, 'content-type': type }, body });
  for (const form of [urlencoded, multipart]) {
    const { status, location } = await click(form);
    expect([status, location]).toEqual([200, null]);
  }
  expect((await off()).filter((kind) => !before.includes(kind))).toEqual(['payment']);
  await storage.db.delete(notificationContacts).where(eq(notificationContacts.userId, userId));
  const { status, location } = await click(urlencoded);
  expect([status, location]).toEqual([410, null]);
});

test('a link that is none, or whose contact is gone, says that it does not work', async () => {
  const { link, userId } = await newLink();
  await storage.db.delete(notificationContacts).where(eq(notificationContacts.userId, userId));
  for (const path of ['/unsubscribe', '/unsubscribe?token=x', `${link.slice(0, -3)}AAA`, link]) {
    expect((await portal.ask(path, { headers: html })).status).toBe(410);
    expect((await portal.sendJson(path, {})).status).toBe(410);
  }
});
