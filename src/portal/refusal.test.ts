import { describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import type { TestDatabase } from '../../test/support/databases.ts';
import { users } from '../storage/schema/identity.ts';
import { legalAcceptances } from '../storage/schema/sign-in.ts';
import { type TestPortal, withTestPortal } from './testing/test-portal.ts';

let storage: TestDatabase;
let portal: TestPortal;
withTestPortal((opened) => {
  ({ storage, portal } = opened);
});

const html = { accept: 'text/html' };
const noRequest = '/dashboard/request-log/019a7c1e-0000-7000-8000-000000000000';

/** What a page shows: its heading, whether the side bar is there, and where its button leads. */
async function look(path: string, cookie = '', method = 'GET') {
  const { status, text } = await portal.ask(path, { method, headers: { ...html, cookie } });
  return {
    status,
    heading: /<h1>([^<]*)<\/h1>/.exec(text)?.[1],
    hasFrame: text.includes('id="side"'),
    wayOn: /<section class="notice">.*?<a class="button primary[^"]*" href="([^"]*)"/s.exec(text)?.[1],
    text,
  };
}

describe('a page of the dashboard that cannot be shown', () => {
  test.each([
    ['/dashboard/keys/999999', 404, 'There is no such key', '/dashboard/keys'],
    ['/dashboard/keys/999999/edit', 404, 'There is no such key', '/dashboard/keys'],
    ['/dashboard/keys/word', 422, 'There is no such key', '/dashboard/keys'],
    [noRequest, 404, 'There is no such request', '/dashboard/request-log'],
    ['/dashboard/settings/webhooks/999999', 404, 'There is no page here', '/dashboard/settings'],
    ['/dashboard/keys/1/nothing/here', 404, 'There is no page here', '/dashboard/keys'],
    ['/dashboard/nothing', 404, 'There is no page here', '/dashboard'],
    ['/dashboard/admin/users/invite', 403, 'This cannot be done', '/dashboard'],
    [
      '/dashboard/usage?range=x',
      422,
      'This address asks for what the page does not know',
      '/dashboard/usage',
    ],
    [
      '/dashboard/request-log?model=gpt-5&min_cost=dear&provider=',
      422,
      'This address asks for what the page does not know',
      '/dashboard/request-log?model=gpt-5&amp;provider=',
    ],
  ])('%s: %i within the frame, with the way back', async (path, status, heading, wayOn) => {
    const { cookie } = await portal.signedIn();
    expect(await look(path, cookie)).toMatchObject({ status, heading, wayOn, hasFrame: true });
  });

  test('has no frame outside the dashboard, nor for whom its pages are not shown', async () => {
    const member = await portal.signedIn();
    const start = { heading: 'There is no page here', hasFrame: false, wayOn: '/' };
    expect(await look('/nothing', member.cookie)).toMatchObject({ status: 404, ...start });
    expect(await look('/dashboards', member.cookie)).toMatchObject({ status: 404, ...start });
    expect(await look('/dashboard/nothing')).toMatchObject({ status: 404, ...start });
    await storage.db.update(users).set({ status: 'suspended' }).where(eq(users.id, member.user.id));
    expect(await look('/dashboard/nothing', member.cookie)).toMatchObject({ status: 404, ...start });
    const earlier = await portal.signedIn();
    await storage.db.delete(legalAcceptances).where(eq(legalAcceptances.userId, earlier.user.id));
    expect(await look('/dashboard/nothing', earlier.cookie)).toMatchObject({ status: 404, ...start });
  });

  test('does not lead to itself', async () => {
    const { cookie } = await portal.signedIn();
    const refused = { status: 405, hasFrame: true, wayOn: '/dashboard' };
    expect(await look('/dashboard/usage', cookie, 'PUT')).toMatchObject(refused);
  });

  test('speaks the language of the account where nothing is at the address', async () => {
    const { user, cookie } = await portal.signedIn();
    await storage.db.update(users).set({ language: 'de' }).where(eq(users.id, user.id));
    const { heading, text } = await look('/dashboard/nothing', cookie);
    expect(heading).toBe('Hier ist keine Seite');
    expect(text).toContain('<html lang="de">');
  });
});
