import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { z } from 'zod';
import { startTestSluice, type TestSluice } from '../../../test/support/sluice.ts';
import { readDescription } from './description.ts';
import { exampleBody, samplesOf } from './examples.ts';

let sluice: TestSluice;
beforeAll(async () => {
  sluice = await startTestSluice();
});
afterAll(() => sluice.stop());

async function open(query: string) {
  const answer = await fetch(`${sluice.url}/api-docs${query}`, {
    redirect: 'manual',
    headers: { accept: 'text/html' },
  });
  return { status: answer.status, location: answer.headers.get('location'), text: await answer.text() };
}

/** Addresses of operations that the page links to, also those that it hides. */
const drawn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(/href="\/api-docs(\?[^"]*\bat=[^"]*)"/g)].map(([, query]) => query ?? '')),
];
const linked = (text: string): readonly string[] =>
  drawn(text.replaceAll(/<li data-words="[^"]*" hidden="">.*?<\/li>/g, ''));

describe('the reference of the APIs', () => {
  test.each([
    ['', '/openapi/gateway.json'],
    ['?of=portal', '/openapi.json'],
  ])('lists every operation of a description, each with a page of its own: %s', async (query, file) => {
    const description = readDescription(await (await fetch(`${sluice.url}${file}`)).json());
    const addresses = linked((await open(query)).text);
    expect(addresses.length).toBe(description.operations.length);
    for (const address of addresses.map((each) => each.replaceAll('&amp;', '&'))) {
      const { status, text } = await open(address);
      const id = new URLSearchParams(address).get('at');
      const told = description.operations.find((operation) => operation.id === id);
      expect([address, status, text.includes(`data-path="${told?.path}"`)]).toEqual([address, 200, true]);
    }
  });

  test.each([
    ['', 'error'],
    ['?of=portal', 'ok'],
    ['?of=account', 'error_point'],
  ])('shows what an error of the face looks like: %s', async (query, field) => {
    const [, errors = ''] = (await open(query)).text.split('id="errors"');
    const [first] = errors.matchAll(/<dt><code[^>]*>([^<]*)/g);
    expect(first?.[1]).toBe(field);
  });

  test('lists every operation of the account API', async () => {
    const { status, text } = await open('?of=account');
    expect([status, linked(text)]).toEqual([
      200,
      [
        ...['get', 'post'].map((method) => `?of=account&amp;at=${method}-api-2-0-notification-contacts`),
        ...['get', 'put', 'delete'].map(
          (method) => `?of=account&amp;at=${method}-api-2-0-notification-contacts-uuid`,
        ),
        '?of=account&amp;at=get-api-2-0-notification-contacts-schema',
        ...['get', 'put'].map((method) => `?of=account&amp;at=${method}-api-2-0-notification-preferences`),
        '?of=account&amp;at=get-api-2-0-notification-preferences-schema',
        ...['', '-uuid', '-schema'].map((end) => `?of=account&amp;at=get-api-2-0-servers${end}`),
      ],
    ]);
  });

  test('leads to the description of all, which has every operation with what it must bring', async () => {
    expect((await open('')).text).toContain('href="/openapi/all.json"');
    const document = async (file: string) => await (await fetch(`${sluice.url}${file}`)).json();
    const whole = await document('/openapi/all.json');
    const faces = await Promise.all(
      ['/openapi/gateway.json', '/openapi.json', '/openapi/account.json'].map(document),
    );
    const read = readDescription(whole);
    const ofFaces = faces.map(readDescription);
    // Each as its own description tells it, what it must bring included.
    expect(read.operations).toEqual(ofFaces.flatMap(({ operations }) => operations));
    expect(read.schemas).toEqual(Object.assign({}, ...ofFaces.map(({ schemas }) => schemas)));
    const names = (kind: string, documents: readonly unknown[]) => [
      ...new Set(documents.flatMap((one) => Object.keys(Object(Object(Object(one).components)[kind])))),
    ];
    for (const kind of ['schemas', 'securitySchemes', 'headers']) {
      expect(names(kind, [whole])).toEqual(names(kind, faces));
    }
    const tags = z.object({ tags: z.array(z.object({ name: z.string() })) }).parse(whole).tags;
    expect(new Set(tags.map(({ name }) => name))).toEqual(new Set(read.operations.map(({ tag }) => tag)));
    expect(tags.length).toBe(new Set(tags.map(({ name }) => name)).size);
  });

  test('finds by words of method, address and summary, and says when nothing has them', async () => {
    const sorting = (await open('?q=POST+sort+documents')).text;
    expect(linked(sorting)).toEqual(['?at=post-v1-rerank']);
    expect(sorting.match(/<section class="section reference-group"[^>]*(?<! hidden="")>/g)).toHaveLength(1);
    // For who goes on to look for other words all are there.
    expect(drawn(sorting)).toEqual(linked((await open('')).text));
    const { text } = await open('?q=%3Cscript%3E');
    expect(linked(text)).toEqual([]);
    expect(text).toContain('No address has these words.');
    expect(text).not.toContain('<script>');
  });

  test('shows what a program asks with where a token is taken, while its form has the session', async () => {
    const { text } = await open('?of=account&at=get-api-2-0-notification-contacts');
    expect(text).toContain('Needs a token');
    expect(text).toContain('Authorization: Bearer');
    expect(text).not.toContain('SLUICE_SESSION');
    expect(text).toContain('href="/login"');
    expect(text).not.toContain('name="token"');
    const portal = await open('?of=portal&at=get-dashboard');
    expect(portal.text).toContain('Needs a signed-in person');
    expect(portal.text).toContain('SLUICE_SESSION');
    const gateway = await open('?at=post-v1-rerank');
    expect(gateway.text).toContain('name="token"');
  });

  test('leads from an operation that is not there to the list', async () => {
    expect(await open('?of=portal&at=get-nothing')).toMatchObject({
      status: 303,
      location: '/api-docs?of=portal',
    });
  });

  test('names in its examples a model that is offered', async () => {
    expect((await open('?at=post-v1-chat-completions')).text).toContain('double-1');
  });
});

const bareDocument = (schema: object) => ({
  info: { title: 'One', version: '1', description: 'One' },
  paths: {
    '/things/{id}': {
      put: {
        summary: 'Change a thing',
        security: [{ bearer: [] }],
        requestBody: { content: { 'application/json': { schema } } },
        responses: {},
      },
    },
  },
  components: {
    schemas: {
      Tree: {
        type: 'object',
        required: ['child'],
        properties: { child: { $ref: '#/components/schemas/Tree' } },
      },
    },
  },
});

describe('an example', () => {
  test('has what a schema requires, by its kind', () => {
    const description = readDescription(
      bareDocument({
        type: 'object',
        required: ['name', 'count', 'open', 'kind', 'list', 'mail', 'either', 'fixed'],
        properties: {
          name: { type: 'string' },
          count: { type: 'integer', minimum: 3 },
          open: { type: 'boolean' },
          kind: { enum: ['b', 'a'] },
          list: { type: 'array' },
          mail: { type: 'string', format: 'email' },
          either: { anyOf: [{ type: 'number' }, { type: 'string' }] },
          fixed: { const: true },
          left: { type: 'string' },
        },
      }),
    );
    const [operation] = description.operations;
    if (operation === undefined) throw new Error('It has one.');
    expect(exampleBody(operation, description)).toEqual({
      ...{ name: '…', count: 3, open: false, kind: 'b', list: [] },
      ...{ mail: 'you@example.com', either: 1, fixed: true },
    });
  });

  test('ends where a schema holds itself', () => {
    const description = readDescription(bareDocument({ $ref: '#/components/schemas/Tree' }));
    const [operation] = description.operations;
    if (operation === undefined) throw new Error('It has one.');
    const text = JSON.stringify(exampleBody(operation, description));
    expect(text.length).toBeLessThan(200);
  });

  test('is the same request in every language', () => {
    const description = readDescription(bareDocument({ type: 'object' }));
    const [operation] = description.operations;
    if (operation === undefined) throw new Error('It has one.');
    const body = { open: true, name: "it's true", nothing: null };
    const [curl, python, typescript] = samplesOf({ operation, address: 'https://host.test', body });
    expect(curl.code).toContain('-X PUT');
    expect(curl.code).toContain(`'\\''`);
    expect(python?.code).toContain('"open": True');
    expect(python?.code).toContain(`"it's true"`);
    expect(python?.code).toContain('"nothing": None');
    expect(typescript?.code).toContain('method: "PUT"');
  });
});
