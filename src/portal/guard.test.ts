import { describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { z } from 'zod';
import { AppError } from '../base/errors.ts';
import { type User, type UserRole, userRoles } from '../identity/index.ts';
import type { UserStatus } from '../identity/user.ts';
import { users } from '../storage/schema/identity.ts';
import { sessions } from '../storage/schema/sign-in.ts';
import { mountRoutes } from './guard.ts';
import { takeForm } from './kept-form.ts';
import { type Access, idField, type Route, route } from './route.ts';
import { portalRoutes } from './routes.ts';
import { origin, type TestPortal, withTestPortal } from './testing/test-portal.ts';

const accesses = ['anyone', 'session', ...userRoles] as const;
const statuses = ['active', 'unverified', 'suspended', 'archived'] as const;
const wayOf: Readonly<Record<Exclude<UserStatus, 'active'>, string>> = {
  unverified: '/verify-email',
  suspended: '/account/suspended',
  archived: '/account/archived',
};

const fields = z.object({ name: z.string().min(2), password: z.string().optional() });

/** One of every access, and some that go wrong. */
const examples: readonly Route[] = [
  ...accesses.flatMap((access) => (['GET', 'POST'] as const).map((method) => example(method, access))),
  route({
    method: 'POST',
    path: '/fields/{id}',
    summary: 'Take fields',
    tag: 'Tests',
    access: 'anyone',
    answers: 'action',
    page: '/form',
    params: z.object({ id: idField }),
    query: z.object({ days: z.coerce.number().int().default(30) }),
    body: fields,
    handle: ({ context, params, query, body }) => context.json({ ok: true, params, query, body }),
  }),
  route({
    method: 'POST',
    path: '/names',
    summary: 'Take a name',
    tag: 'Tests',
    access: 'member',
    answers: 'action',
    page: '/form',
    body: fields,
    handle: ({ context, body: { name } }) => context.json({ ok: true, name }),
  }),
  route({
    method: 'GET',
    path: '/form',
    summary: 'Show what was kept',
    tag: 'Tests',
    access: 'anyone',
    answers: 'page',
    handle: ({ context }) => context.json(takeForm(context)),
  }),
  route({
    method: 'POST',
    path: '/hook',
    summary: 'Take what is signed',
    tag: 'Tests',
    access: 'anyone',
    answers: 'json',
    fromElsewhere: true,
    handle: ({ context }) => context.json({ ok: true }),
  }),
  route({
    method: 'POST',
    path: '/throws/{code}',
    summary: 'Throw',
    tag: 'Tests',
    access: 'anyone',
    answers: 'action',
    params: z.object({ code: z.enum(['conflict', 'rate_limited', 'internal_error', 'not_found']) }),
    handle: ({ params: { code } }) => {
      throw new AppError({ code, public: 'The rule says so.', retryAfterSeconds: 7 });
    },
  }),
  route({
    method: 'GET',
    path: '/fields/new',
    summary: 'A literal beside a parameter',
    tag: 'Tests',
    access: 'anyone',
    answers: 'json',
    changes: true,
    handle: ({ context }) => context.json({ literal: true }),
  }),
];

function example(method: 'GET' | 'POST', access: Access): Route {
  return route({
    method,
    path: `/example/${access}`,
    summary: `For ${access}`,
    tag: 'Tests',
    access,
    answers: 'json',
    handle: ({ context, session, scope }) => context.json({ user: session?.user.id ?? null, scope }),
  });
}

let portal: TestPortal;
const db = () => portal.services.storage.db;
let app: ReturnType<typeof mountRoutes>;
withTestPortal((opened) => {
  ({ portal } = opened);
  app = mountRoutes(examples, portal.services);
});

const browser = { accept: 'text/html' };

async function ask(path: string, init: RequestInit = {}) {
  const answer = await app.request(`${origin}${path}`, init);
  const text = await answer.text();
  const json: unknown = text.startsWith('{') ? JSON.parse(text) : null;
  return { answer, status: answer.status, location: answer.headers.get('location'), text, json };
}

const post = (path: string, body: BodyInit | null, headers: Record<string, string> = {}) =>
  ask(path, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });

/** What is for admins alone is about what they administer; nobody here belongs to an organisation. */
function scopeIn(access: Access, { id, role }: { readonly id: number; readonly role: UserRole }): object {
  const isForAdmins = !['anyone', 'session', 'member'].includes(access);
  return isForAdmins && role.startsWith('platform_')
    ? { whose: 'everybody' }
    : { whose: 'person', userId: id };
}

/** What the table of roles says, written again by hand. */
function mayEnter(access: Access, role: UserRole | null, status: UserStatus): boolean {
  if (access === 'anyone') return true;
  if (role === null) return false;
  if (access === 'session') return true;
  return status === 'active' && userRoles.indexOf(role) <= userRoles.indexOf(access);
}

describe('every access is held for every role and status', () => {
  for (const role of [null, ...userRoles]) {
    for (const status of role === null ? (['active'] as const) : statuses) {
      test(`${role ?? 'nobody'}${role === null ? '' : `, ${status}`}`, async () => {
        const person = role === null ? null : await portal.signedIn({ role, status });
        const cookie: Record<string, string> = person === null ? {} : { cookie: person.cookie };
        for (const access of accesses) {
          for (const method of ['GET', 'POST']) {
            const program = await ask(`/example/${access}`, { method, headers: cookie });
            const page = await ask(`/example/${access}`, { method, headers: { ...cookie, ...browser } });
            if (mayEnter(access, role, status)) {
              expect([access, program.status, page.status]).toEqual([access, 200, 200]);
              expect(program.json).toEqual({
                user: person?.user.id ?? null,
                scope: person === null ? null : scopeIn(access, person.user),
              });
            } else if (role === null) {
              expect([program.status, page.status]).toEqual([401, 303]);
              const next = `?next=${encodeURIComponent(`/example/${access}`)}`;
              expect(page.location).toBe(`/login${method === 'GET' ? next : ''}`);
            } else {
              expect([access, program.status]).toEqual([access, 403]);
              if (status !== 'active') expect([page.status, page.location]).toEqual([303, wayOf[status]]);
              else expect(page.status).toBe(method === 'GET' ? 403 : 303);
            }
          }
        }
      });
    }
  }
});

describe('a request that changes something', () => {
  test.each([
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ 'sec-fetch-site': 'none' }, 403],
    [{ origin: 'http://other.test' }, 403],
    [{ origin: 'http://sluice.test:81' }, 403],
    [{ 'sec-fetch-site': 'same-origin', origin: 'null' }, 200],
    [{ origin }, 200],
    [{ origin: 'null' }, 200],
    [{}, 200],
  ])('with %p is %d', async (headers, status) => {
    const { cookie } = await portal.signedIn();
    const sent: Record<string, string> = { cookie, ...headers };
    const answer = await ask('/example/member', { method: 'POST', headers: sent });
    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.json).toMatchObject({ ok: false, code: 'cross_site' });
    // Reading is not held back, nor what shows by itself who sent it.
    expect((await ask('/example/member', { headers: sent })).status).toBe(200);
    expect((await ask('/hook', { method: 'POST', headers: sent })).status).toBe(200);
  });
});

describe('fields', () => {
  test('arrive checked, from JSON and from a form', async () => {
    const whole = { ok: true, params: { id: 7 }, query: { days: 3 }, body: { name: 'Ada' } };
    expect((await post('/fields/7?days=3', '{"name":"Ada","more":1}')).json).toEqual(whole);
    const form = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
    expect((await post('/fields/7?days=3', 'name=Ada', form)).json).toEqual(whole);
  });

  test('422 says which are wrong and where, in the reader’s language', async () => {
    const refused = await post('/fields/7', '{"name":"A"}', { 'accept-language': 'de' });
    expect(refused.status).toBe(422);
    expect(refused.json).toMatchObject({
      ok: false,
      code: 'validation_failed',
      fields: { name: 'Es braucht mindestens 2 Zeichen.' },
      detail: [{ loc: ['body', 'name'], type: 'too_small' }],
    });
    expect((await post('/fields/x', '{"name":"Ada"}')).json).toMatchObject({
      detail: [{ loc: ['path', 'id'] }],
    });
    expect((await post('/fields/7?days=x', '{"name":"Ada"}')).json).toMatchObject({
      detail: [{ loc: ['query', 'days'] }],
    });
  });

  test.each([
    ['[]', {}, 422],
    ['null', {}, 422],
    ['{"name":', {}, 400],
    [`{"name":${'['.repeat(30_000)}`, {}, 400],
    ['{"__proto__":{"name":"Ada"}}', {}, 422],
    ['name=Ada', { 'content-type': 'text/plain' }, 400],
    [`{"name":"${'x'.repeat(70_000)}"}`, {}, 413],
    ['name=A&name=B', { 'content-type': 'application/x-www-form-urlencoded' }, 422],
  ])('%#: 4xx for what is none, and nothing is held of it', async (body, headers, status) => {
    const answer = await post('/fields/7', body, headers);
    expect(answer.status).toBe(status);
    expect(answer.json).toMatchObject({ ok: false });
    expect(portal.services.bodies.heldBytes).toBe(0);
  });

  test('of a form that is refused are kept for its page, once, and secrets are not', async () => {
    const sent = new URLSearchParams({ name: 'A', password: 'hunter22' }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...browser };
    const refused = await post('/fields/7', sent, headers);
    expect([refused.status, refused.location]).toEqual([303, '/form']);
    const cookies = refused.answer.headers.getSetCookie().map((each) => each.split(';')[0]);
    const shown = await ask('/form', { headers: { cookie: cookies.join('; ') } });
    expect(shown.json).toMatchObject({ values: { name: 'A' }, issues: { name: expect.any(String) } });
    expect(shown.text).not.toContain('hunter22');
    expect(shown.answer.headers.getSetCookie().join()).toContain('sluice-form=; Max-Age=0');
    const odd = await ask('/form', { headers: { cookie: 'sluice-form=nonsense' } });
    expect(odd.json).toEqual({ of: '', values: {}, lists: {}, issues: {} });
  });
});

describe('while a body is still coming', () => {
  const of = ({ id }: User) => eq(users.id, id);
  test.each<[string, number, (user: User) => Promise<unknown>]>([
    ['nothing happens', 200, async () => undefined],
    ['they are signed out', 401, ({ id }) => db().delete(sessions).where(eq(sessions.userId, id))],
    ['they are suspended', 403, (user) => db().update(users).set({ status: 'suspended' }).where(of(user))],
    ['they get another role', 403, (user) => db().update(users).set({ role: 'org_admin' }).where(of(user))],
  ])('%s: %d', async (_, status, happen) => {
    const { user, cookie } = await portal.signedIn();
    // It is asked for once it is known who asks.
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          await happen(user);
          controller.enqueue(new TextEncoder().encode('{"name":"Ada"}'));
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    expect((await post('/names', body, { cookie })).status).toBe(status);
  });
});

describe('an address', () => {
  test('405 with Allow for another method, and OPTIONS says which there are', async () => {
    const answer = await ask('/fields/7', { method: 'DELETE' });
    expect([answer.status, answer.answer.headers.get('allow')]).toEqual([405, 'OPTIONS, POST']);
    const options = await ask('/example/anyone', { method: 'OPTIONS' });
    expect(options.answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST');
    expect(options.status).toBe(204);
  });

  test('of letters is not taken for a parameter, and HEAD of one that changes something changes nothing', async () => {
    expect((await ask('/fields/new')).json).toEqual({ literal: true });
    expect((await ask('/fields/new', { method: 'HEAD' })).text).toBe('');
  });
});

test.each([
  ['conflict', 409],
  ['rate_limited', 429],
  ['internal_error', 500],
  ['not_found', 404],
])('a rule that throws %s is %d to a program, and a message to a form', async (code, status) => {
  const program = await post(`/throws/${code}`, '{}');
  expect(program.status).toBe(status);
  expect(program.json).toMatchObject({ ok: false, code });
  expect(program.answer.headers.get('retry-after')).toBe('7');
  const form = await post(`/throws/${code}`, null, { ...browser, 'content-type': '' });
  expect([form.status, form.location]).toEqual([303, '/login']);
  expect(form.answer.headers.getSetCookie().join()).toContain('sluice-message=');
});

test('the description names every route, with its parameters, fields and refusals', async () => {
  const { answer, text } = await portal.ask('/openapi.json');
  expect(answer.headers.get('content-type')).toStartWith('application/json');
  const described = z
    .object({
      openapi: z.literal('3.1.0'),
      info: z.object({ version: z.literal('0.1.0') }),
      paths: z.record(z.string(), z.record(z.string(), z.object({ summary: z.string() }))),
    })
    .parse(JSON.parse(text));
  const named = Object.entries(described.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  // A parameter that may hold slashes has no sign of its own in a description.
  const mounted = portalRoutes.map(({ method, path }) => `${method} ${path.replace('…}', '}')}`);
  expect(named.toSorted()).toEqual(mounted.toSorted());
});
