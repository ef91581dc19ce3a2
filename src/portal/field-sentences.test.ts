import { expect, test } from 'bun:test';
import { languages } from './languages/language.ts';
import { portalRoutes } from './routes.ts';
import { type TestPortal, withTestPortal } from './testing/test-portal.ts';

let portal: TestPortal;
withTestPortal((opened) => {
  ({ portal } = opened);
});

const fieldsAt = async (address: string, cookie: string, language: string) => {
  const { status, text } = await portal.ask(address, { headers: { cookie, 'accept-language': language } });
  return [status, JSON.parse(text).fields];
};

test('what an address asks wrongly is told as what can be asked', async () => {
  const { cookie } = await portal.signedIn({ role: 'member' });
  expect(await fieldsAt('/dashboard/usage?from=abc&by=nobody&status=700&key=x', cookie, 'en')).toEqual([
    422,
    {
      from: 'A day is needed, such as 2026-11-23.',
      by: expect.stringMatching(/^One of these is needed: none, kind, model, .*status\.$/),
      status: 'A whole number from 100 to 599 is needed.',
      key: 'A whole number is needed.',
    },
  ]);
  expect((await portal.ask('/dashboard/usage?by=user', { headers: { cookie } })).status).toBe(200);
  const log = await fieldsAt('/dashboard/request-log?id=x&status=9&min_cost=x&to=0001-01-01', cookie, 'de');
  expect(log).toEqual([
    422,
    {
      id: 'Nötig ist die ID einer Anfrage oder ihr Anfang.',
      status: 'Möglich sind: ok, failed, 4xx, 5xx oder ein Status wie 404.',
      min_cost: 'Nötig ist ein Betrag in US-Dollar, etwa 12.50.',
      to: 'Nötig ist ein Tag wie 2026-11-23.',
    },
  ]);
});

/** What checkers say of what they found, and no person. */
const ofCheckers =
  /Invalid input|expected .+ received|must match|Too (?:big|small)|Ungültig|Zu (?:groß|klein)|Entrée|Entrada|\/\^/;

test('no field of any route is refused in the words of the checker, in any language', async () => {
  const { cookie } = await portal.signedIn({ role: 'platform_owner' });
  const hostile: readonly unknown[] = [
    '',
    '-4',
    'x\0',
    '9'.repeat(30),
    'x'.repeat(9000),
    [],
    {},
    null,
    true,
    -1.5,
  ];
  for (const row of portalRoutes) {
    if (row.body === null || row.method !== 'POST' || row.path.includes('{')) continue;
    for (const [index, value] of hostile.entries()) {
      const language = languages[index % languages.length] ?? 'en';
      const body = Object.fromEntries(Object.keys(row.body.shape).map((name) => [name, value]));
      const { status, text } = await portal.sendJson(row.path, body, { cookie, 'accept-language': language });
      if (status !== 422) continue;
      const told = Object.entries(JSON.parse(text).fields);
      const raw = told.filter(
        ([, sentence]) => ofCheckers.test(String(sentence)) || /^\w+$/.test(String(sentence)),
      );
      expect([row.path, value, raw]).toEqual([row.path, value, []]);
    }
  }
});
