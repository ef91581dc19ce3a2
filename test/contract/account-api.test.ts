/** What holds for every request to the account API 2.0: methods, content, errors, and its other lists. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { z } from 'zod';
import { systemIds } from '../../src/base/ids.ts';
import { createUser, type User } from '../../src/identity/index.ts';
import { inferenceServers } from '../../src/storage/schema/servers.ts';
import { type AskApi, askApiAs, basicOf, readApiErrors, readApiList } from '../support/account-client.ts';
import { startTestSluice, type TestSluice } from '../support/sluice.ts';
import { type Write, writerOn } from '../support/writing.ts';

const contactsPath = '/api/2.0/notification_contacts/';
const password = 'a long enough password';

let sluice: TestSluice;
let write: Write;
let people = 0;
beforeAll(async () => {
  sluice = await startTestSluice();
  const { storage, clock } = sluice.running.services;
  write = writerOn({ storage, clock, ids: systemIds });
});
afterAll(() => sluice.stop());

async function newPerson(): Promise<{ user: User; ask: AskApi }> {
  people += 1;
  const email = `asker-${people}@example.test`;
  const user = await write(createUser, { email, role: 'member', password });
  return { user, ask: askApiAs(sluice.url, basicOf(email, password)) };
}

/** Of a schema in a description. */
const memberShape = z.object({
  type: z.union([z.string(), z.array(z.string())]),
  required: z.array(z.string()).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
});
/** Of what can be asked, by path and method. */
const refusalsShape = z.record(
  z.string(),
  z.record(
    z.string(),
    z.object({ requestBody: z.unknown().optional(), responses: z.record(z.string(), z.unknown()) }),
  ),
);
const objectShape = memberShape.extend({ properties: z.record(z.string(), memberShape).optional() });
const describedShape = z.object({
  paths: z.record(
    z.string(),
    z.object({
      put: z
        .object({
          responses: z.record(
            z.string(),
            z.object({ content: z.object({ 'application/json': z.object({ schema: z.unknown() }) }) }),
          ),
        })
        .optional(),
    }),
  ),
  components: z.object({ schemas: z.record(z.string(), objectShape) }),
});

const nobody = (): AskApi => askApiAs(sluice.url, null);
const db = () => sluice.running.services.storage.db;

describe('a request', () => {
  test.each([
    ['/api/2.0', 404],
    ['/api/2.0/', 404],
    ['/api/2.0/nowhere/', 404],
    ['/api/2.0/%3Cscript%3E', 404],
    ['/api/2.0/notification_contacts/a/b/', 404],
    ['/api/2.0/notification_preferences/8f2bd7f0-5b2c-4a7e-9f57-3f4a1f9c2d10/', 404],
    ['/api/2.0//notification_contacts/', 404],
    ['/api/2.0/__proto__/', 404],
  ])('to %s finds nothing', async (path, status) => {
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
      const refused = await nobody()(path, { method });
      expect(refused.status).toBe(status);
      expect(readApiErrors(refused)[0]?.error_type).toBe('notexist');
    }
  });

  test('by another method is told which there are', async () => {
    const { ask } = await newPerson();
    const list = 'GET, HEAD, OPTIONS, POST';
    for (const [path, method, allowed] of [
      [contactsPath, 'DELETE', list],
      [contactsPath, 'PATCH', list],
      ['/api/2.0/notification_preferences/', 'POST', 'GET, HEAD, OPTIONS, PUT'],
      ['/api/2.0/servers/', 'POST', 'GET, HEAD, OPTIONS'],
      ['/api/2.0/servers/schema/', 'PUT', 'GET, HEAD, OPTIONS'],
    ] as const) {
      const refused = await ask(path, { method });
      expect([path, method, refused.status, refused.headers.get('allow')]).toEqual([
        path,
        method,
        405,
        allowed,
      ]);
      readApiErrors(refused);
      const told = await nobody()(path, { method: 'OPTIONS' });
      expect([told.status, told.headers.get('allow'), told.text]).toEqual([204, allowed, '']);
      expect(told.headers.get('x-request-id')).not.toBeEmpty();
    }
  });

  test('by HEAD is answered like GET, without the body', async () => {
    const { ask } = await newPerson();
    const head = await ask(contactsPath, { method: 'HEAD' });
    expect([head.status, head.text, head.headers.get('content-type')]).toEqual([
      200,
      '',
      'application/json; charset=utf-8',
    ]);
    expect((await ask(`${contactsPath}?limit=x`, { method: 'HEAD' })).status).toBe(400);
  });

  test('gets JSON or nothing', async () => {
    const { ask } = await newPerson();
    for (const accept of ['application/json', '*/*', 'application/*;q=0.1', 'text/html, */*;q=0.8', '']) {
      expect([accept, (await ask(contactsPath, { headers: { accept } })).status]).toEqual([accept, 200]);
    }
    for (const accept of [
      'text/html',
      'application/xml',
      'application/json;q=0, */*',
      'application/yaml;q=1',
    ]) {
      const refused = await ask(contactsPath, { headers: { accept } });
      expect([accept, refused.status]).toEqual([accept, 406]);
      readApiErrors(refused);
    }
  });

  test('brings JSON within a bound, or nothing is done', async () => {
    const { ask } = await newPerson();
    const send = (body: BodyInit, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
      ask(contactsPath, { method: 'POST', body, headers });
    const good = JSON.stringify({ objects: [{ email: 'a@example.test' }] });
    for (const [status, refused] of [
      [400, await send('{')],
      [400, await send('')],
      [400, await send('['.repeat(100_000))],
      // Bytes that are no UTF-8 would be stored as other characters than were sent.
      [400, await send(Buffer.from(good.replace('}', ',"name":"M\xfcller"}'), 'latin1'))],
      [400, await send('{"__proto__":{"objects":[]}}')],
      [413, await send(`${good}${' '.repeat(1024 ** 2)}`)],
      [415, await send(good, { 'content-type': 'text/plain' })],
      [415, await send(good, { 'content-type': 'application/x-www-form-urlencoded' })],
      [415, await send(good, { 'content-type': 'application/json; charset=utf-16' })],
      [
        415,
        await send(Bun.gzipSync(Buffer.from(good)), {
          'content-type': 'application/json',
          'content-encoding': 'gzip',
        }),
      ],
    ] as const) {
      expect<[number, string]>([refused.status, refused.text]).toEqual([status, refused.text]);
      expect(readApiErrors(refused)[0]?.error_type).toBe('validation');
    }
    expect(readApiList(await ask(contactsPath)).meta.total_count).toBe(1);
    for (const headers of [
      { 'content-type': 'application/json; charset=UTF-8' },
      { 'content-type': 'application/json; charset="utf8"' },
      { 'content-type': 'application/json', 'content-encoding': 'identity' },
    ]) {
      expect<unknown>([headers, (await send(good, headers)).status]).toEqual([headers, 201]);
    }
  });
});

describe('what there is', () => {
  test('is said by the schema of each resource and by the description', async () => {
    const { ask } = await newPerson();
    const schema = await ask(`${contactsPath}schema/`);
    expect(schema.json).toMatchObject({
      allowed_list_http_methods: ['get', 'post'],
      allowed_detail_http_methods: ['get', 'put', 'delete'],
      default_limit: 20,
      fields: { main: { type: 'boolean', nullable: true, readonly: true }, email: { readonly: false } },
    });
    expect((await ask('/api/2.0/notification_preferences/schema/')).json).toMatchObject({
      fields: { type: { valid_choices: expect.arrayContaining(['trial_expire', 'random_upgrade']) } },
    });
    const { json } = await nobody()('/openapi/account.json');
    expect(json).toMatchObject({ openapi: '3.1.0', info: { version: '2.0' } });
    const paths = Object.keys(Reflect.get(Object(json), 'paths'));
    expect(paths).toEqual([
      ...[contactsPath, `${contactsPath}{uuid}/`, `${contactsPath}schema/`],
      ...['/api/2.0/notification_preferences/', '/api/2.0/notification_preferences/schema/'],
      ...['/api/2.0/servers/', '/api/2.0/servers/{uuid}/', '/api/2.0/servers/schema/'],
    ]);
  });

  test('is described with every rule that a body is held to', async () => {
    const { json } = await nobody()('/openapi/account.json');
    const bodyOf = (path: string, method: string): unknown =>
      Object(json).paths[path][method].requestBody.content['application/json'].schema;
    const contact = {
      email: { type: 'string', maxLength: 254, pattern: expect.any(String) },
      name: { type: 'string', maxLength: 100 },
      phone: { type: 'string', maxLength: 60 },
    };
    const objects = { type: 'array', minItems: 1, maxItems: 1000 };
    expect(bodyOf(contactsPath, 'post')).toMatchObject({
      required: ['objects'],
      properties: { objects: { ...objects, items: { required: ['email'], properties: contact } } },
    });
    expect(bodyOf(`${contactsPath}{uuid}/`, 'put')).toMatchObject({ properties: contact });
    const preference = {
      required: ['contact', 'medium', 'type', 'value'],
      properties: {
        medium: { enum: ['email'] },
        type: { enum: expect.arrayContaining(['trial_expire', 'random_upgrade']) },
        value: { type: 'boolean' },
      },
    };
    expect(bodyOf('/api/2.0/notification_preferences/', 'put')).toMatchObject({
      anyOf: [{ type: 'array', minItems: 1, maxItems: 5000, items: preference }, preference],
    });
    const made = Object(json).paths[contactsPath].post.responses[201].content['application/json'].schema;
    expect(made).toMatchObject({ required: ['objects'] });
  });

  test('is described with every way in which it can fail, each in the form of errors', async () => {
    const { json } = await nobody()('/openapi/account.json');
    const paths = refusalsShape.parse(Object(json).paths);
    const always = ['401', '403', '406', '429', '500', '503'];
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { requestBody, responses }] of Object.entries(methods)) {
        const ofBody = requestBody === undefined ? [] : ['400', '408', '413', '415'];
        expect<unknown>([path, method, Object.keys(responses)]).toEqual([
          ...[path, method],
          expect.arrayContaining([...always, ...ofBody]),
        ]);
        expect([path, method, '408' in responses]).toEqual([path, method, ofBody.length > 0]);
        for (const [status, response] of Object.entries(responses)) {
          if (Number(status) < 400) continue;
          const schema = { $ref: '#/components/schemas/Errors' };
          expect(response).toMatchObject({ content: { 'application/json': { schema } } });
        }
      }
    }
    expect(Object(json).components.schemas.Errors).toMatchObject({ type: 'array' });
  });

  test('is described with everything that an answer has', async () => {
    const { user, ask } = await newPerson();
    const described = describedShape.parse((await nobody()('/openapi/account.json')).json);
    const [contact = {}] = readApiList(await ask(contactsPath)).objects;
    const changed = await ask(String(contact['resource_uri']), { method: 'PUT', json: { name: 'Ada' } });
    const change = described.paths[`${contactsPath}{uuid}/`]?.put?.responses[200];
    const answer = objectShape.parse(change?.content['application/json'].schema);
    expect(Object.keys(answer.properties ?? {})).toEqual(Object.keys(Object(changed.json)));
    expect(answer.required).toContain('pk');
    // What is shown elsewhere has no such field.
    expect(Object.keys(described.components.schemas['NotificationContact']?.properties ?? {})).toEqual(
      Object.keys(contact),
    );
    const running = {
      name: 'one',
      status: 'running',
      runningSince: new Date('2031-02-03T04:05:06Z'),
      baseUrl: 'http://gpu.test/v1',
    };
    await db()
      .insert(inferenceServers)
      .values({ ...running, userId: user.id });
    const [server = {}] = readApiList(await ask('/api/2.0/servers/')).objects;
    const members = described.components.schemas['Server']?.properties ?? {};
    expect(Object.keys(members)).toEqual(Object.keys(server));
    const schema = await ask('/api/2.0/servers/schema/');
    expect([members['owner']?.type, members['runtime']?.type]).toEqual(['object', ['object', 'null']]);
    for (const name of ['owner', 'runtime']) {
      const shown = Object.keys(Object(server[name]));
      expect(members[name]?.required).toEqual(shown);
      expect(Object.keys(members[name]?.properties ?? {})).toEqual(shown);
      expect(schema.json).toMatchObject({ fields: { [name]: { type: 'object' } } });
      expect(Object.keys(Object(schema.json).fields[name].fields)).toEqual(shown);
    }
  });

  test("an account's own servers are listed, and nobody else's", async () => {
    const { user, ask } = await newPerson();
    const other = await newPerson();
    expect(readApiList(await ask('/api/2.0/servers/')).objects).toEqual([]);
    const since = new Date('2031-02-03T04:05:06Z');
    const server = { userId: user.id, baseUrl: 'http://gpu.example:8000/v1' };
    await db()
      .insert(inferenceServers)
      .values([
        { ...server, name: 'one', status: 'stopped' },
        { ...server, name: 'two', status: 'running', runningSince: since },
        { ...server, userId: other.user.id, name: 'theirs', status: 'stopping', runningSince: since },
      ]);
    const { meta, objects } = readApiList(await ask('/api/2.0/servers/'));
    expect(meta).toEqual({ limit: 20, offset: 0, total_count: 2 });
    const [one = {}, two = {}] = objects;
    expect(one).toEqual({
      ...{ name: 'one', runtime: null, status: 'stopped', uuid: one['uuid'] },
      owner: {
        resource_uri: expect.stringMatching(/^\/api\/2\.0\/user\/[0-9a-f-]{36}\/$/),
        uuid: expect.any(String),
      },
      resource_uri: `/api/2.0/servers/${one['uuid']}/`,
    });
    expect(two).toMatchObject({
      status: 'running',
      runtime: { running_since: since.toISOString() },
      owner: one['owner'],
    });
    expect((await ask(String(two['resource_uri']))).json).toEqual(two);
    expect((await other.ask(String(two['resource_uri']))).status).toBe(404);
    expect(readApiList(await ask('/api/2.0/servers/?status=running')).objects).toEqual([two]);
    const found = async (query: Record<string, string>) =>
      readApiList(await ask(`/api/2.0/servers/?${new URLSearchParams(query)}`)).objects.map(
        ({ name }) => name,
      );
    const { uuid: ownerUuid = '', resource_uri: ownerUri = '' } = z
      .record(z.string(), z.string())
      .parse(one['owner']);
    for (const [query, names] of [
      [{ resource_uri: String(two['resource_uri']) }, ['two']],
      [{ resource_uri__contains: String(one['uuid']) }, ['one']],
      [{ owner: ownerUuid }, ['one', 'two']],
      [{ owner: `nobody,${ownerUri}` }, ['one', 'two']],
      [{ owner__contains: '/user/' }, ['one', 'two']],
      [{ owner: 'nobody' }, []],
      [{ runtime: 'null' }, ['one']],
      [{ runtime: since.toISOString() }, ['two']],
      [{ runtime__contains: '2031-02' }, ['two']],
    ] as const) {
      expect<unknown>([query, await found(query)]).toEqual([query, names]);
    }
    expect((await ask('/api/2.0/servers/?base_url=x')).status).toBe(400);
  });
});
