/** The document of the account API, walked by a client that knows nothing but it; and an account with many contacts. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { z } from 'zod';
import { owner, startTestSluice, type TestSluice } from '../support/sluice.ts';

const kinds = [
  ...['trial_expire', 'trial_expire_soon', 'payment', 'payment_approved', 'payment_cancelled'],
  ...['payment_failed', 'payment_withheld', 'subscription_renewal_success', 'subscription_renewal_failure'],
  ...['subscription_renewal_soon', 'subscription_renewal_very_soon', 'subscription_expire'],
  ...['subscription_expire_soon', 'subscription_expire_very_soon', 'out_of_money_soon'],
  ...['out_of_money_very_soon', 'stop_servers', 'drives_delete', 'drives_delete_soon', 'new_account'],
  ...['reset_password', 'random_upgrade'],
];

const contact = z.strictObject({
  uuid: z.uuid(),
  resource_uri: z.string(),
  email: z.email(),
  name: z.string(),
  phone: z.string().regex(/^\+?\d*$/),
  main: z.literal(true).nullable(),
});
const editedContact = contact.extend({ pk: z.uuid() });
const preference = z.strictObject({
  contact: z.string(),
  medium: z.literal('email'),
  type: z.enum(kinds as [string, ...string[]]),
  value: z.boolean(),
});
const server = z.strictObject({
  name: z.string(),
  owner: z.strictObject({ resource_uri: z.string(), uuid: z.uuid() }),
  resource_uri: z.string(),
  runtime: z.unknown().nullable(),
  status: z.string(),
  uuid: z.uuid(),
});
const meta = z.strictObject({ limit: z.int(), offset: z.int(), total_count: z.int() });
const listOf = <Item extends z.ZodType>(item: Item) => z.strictObject({ meta, objects: z.array(item) });

/** What the document says, and nothing else. */
class DocumentClient {
  readonly #base: string;
  readonly #authorization: string;

  constructor(url: string, email: string, password: string) {
    this.#base = `${url}/api/2.0`;
    this.#authorization = `Basic ${btoa(`${email}:${password}`)}`;
  }

  async ask(method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(`${this.#base}${path}`, {
      method,
      headers: { authorization: this.#authorization, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async #read<Item extends z.ZodType>(
    status: number,
    answer: Response,
    schema: Item,
  ): Promise<z.output<Item>> {
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      status,
      'application/json; charset=utf-8',
    ]);
    return schema.parse(await answer.json());
  }

  async contacts(query = '') {
    return this.#read(200, await this.ask('GET', `/notification_contacts/${query}`), listOf(contact));
  }
  async create(objects: readonly object[]) {
    const answer = await this.ask('POST', '/notification_contacts/', { objects });
    return this.#read(201, answer, z.strictObject({ objects: z.array(contact) }));
  }
  async edit(uuid: string, fields: object) {
    return this.#read(200, await this.ask('PUT', `/notification_contacts/${uuid}/`, fields), editedContact);
  }
  async remove(uuid: string) {
    const answer = await this.ask('DELETE', `/notification_contacts/${uuid}/`);
    return [answer.status, await answer.text()];
  }
  async preferences(query = '') {
    return this.#read(200, await this.ask('GET', `/notification_preferences/${query}`), listOf(preference));
  }
  async prefer(body: unknown) {
    const answer = await this.ask('PUT', '/notification_preferences/', body);
    return this.#read(202, answer, z.strictObject({ objects: z.array(preference) }));
  }
  async servers(query = '') {
    return this.#read(200, await this.ask('GET', `/servers/${query}`), listOf(server));
  }
}

let sluice: TestSluice;
let client: DocumentClient;
beforeAll(async () => {
  sluice = await startTestSluice();
  client = new DocumentClient(sluice.url, owner, 'a long enough password');
});
afterAll(() => sluice.stop());

describe('the document', () => {
  test('is walked from its first section to its last', async () => {
    const first = await client.contacts();
    expect(first.objects).toMatchObject([{ email: owner, main: true }]);
    const main = first.objects[0]?.resource_uri ?? '';
    expect(main).toBe(`/api/2.0/notification_contacts/${first.objects[0]?.uuid}/`);

    const made = await client.create([
      { email: 'jane@example.com', name: 'Jane Doe', phone: '+44 1234 567 890' },
    ]);
    const [jane] = made.objects;
    if (jane === undefined) throw new Error('nobody was made');
    expect(jane).toMatchObject({ phone: '+441234567890', main: null });

    const edited = await client.edit(jane.uuid, { email: 'jane.doe@example.com', name: 'Jane D.' });
    expect(edited).toEqual({ ...jane, email: 'jane.doe@example.com', name: 'Jane D.', pk: jane.uuid });

    const all = await client.preferences('?limit=0');
    expect(all.meta).toEqual({ limit: 0, offset: 0, total_count: 44 });
    for (const uri of [main, jane.resource_uri]) {
      const ofOne = all.objects.filter((one) => one.contact === uri);
      expect(ofOne.map(({ type }) => type).sort()).toEqual([...kinds].sort());
    }
    const off = { contact: jane.resource_uri, medium: 'email', type: 'payment', value: false };
    expect(await client.prefer(off)).toEqual({ objects: [preference.parse(off)] });
    const several = kinds.slice(0, 3).map((type) => ({ ...off, type, value: true }));
    expect(await client.prefer(several)).toEqual({ objects: several.map((one) => preference.parse(one)) });

    const page = await client.contacts('?offset=1&limit=1');
    expect(page.meta).toEqual({ limit: 1, offset: 1, total_count: 2 });
    expect(page.objects.map(({ uuid }) => uuid)).toEqual([jane.uuid]);

    expect(await client.servers('?limit=0')).toEqual({
      meta: { limit: 0, offset: 0, total_count: 0 },
      objects: [],
    });
    expect(await client.remove(jane.uuid)).toEqual([204, '']);
    expect((await client.contacts()).meta.total_count).toBe(1);
    expect((await client.preferences()).meta.total_count).toBe(22);
  });
});

describe('an account with 10,000 contacts', () => {
  const many = 10_000;
  beforeAll(async () => {
    await sluice.running.services.storage.db.execute(sql`
      INSERT INTO notification_contacts (user_id, email)
      SELECT id, 'c' || number || '@example.com' FROM users, generate_series(2, ${many}::int) AS number
      WHERE users.email = ${owner}`);
  });

  test('has them in pages that together are all of them, once each', async () => {
    const seen = new Set<string>();
    for (let offset = 0; offset < many; offset += 700) {
      const { objects } = await client.contacts(`?limit=700&offset=${offset}`);
      expect(objects).toHaveLength(Math.min(700, many - offset));
      for (const { uuid } of objects) seen.add(uuid);
    }
    expect(seen.size).toBe(many);
    const whole = await client.contacts('?limit=0');
    expect(whole.objects.map(({ uuid }) => uuid)).toEqual([...seen]);
    expect((await client.contacts(`?offset=${many - 1}`)).objects).toHaveLength(1);
  });

  test('has 22 preferences for each, which are found from anywhere', async () => {
    const last = await client.preferences(`?offset=${22 * many - 3}`);
    expect(last.meta).toEqual({ limit: 20, offset: 22 * many - 3, total_count: 22 * many });
    expect(new Set(last.objects.map(({ contact: uri }) => uri)).size).toBe(1);
    const uri = last.objects[0]?.contact ?? '';
    expect((await client.preferences(`?limit=0&contact=${uri}`)).meta.total_count).toBe(22);
  });

  test('may have as many again, and is told then that trying again does not help', async () => {
    const { db } = sluice.running.services.storage;
    await db.transaction(async (executor) => {
      // Of these nobody asks what they are told of, which would take the time.
      await executor.execute(sql`ALTER TABLE notification_contacts DISABLE TRIGGER USER`);
      await executor.execute(sql`
        INSERT INTO notification_contacts (user_id, email)
        SELECT id, 'd' || number || '@example.com' FROM users, generate_series(1, ${many}::int) AS number
        WHERE users.email = ${owner}`);
      await executor.execute(sql`ALTER TABLE notification_contacts ENABLE TRIGGER USER`);
    });
    const refused = await client.ask('POST', '/notification_contacts/', {
      objects: [{ email: 'one-more@example.com' }],
    });
    expect([refused.status, await refused.json()]).toEqual([
      409,
      [
        {
          ...{ error_point: null, error_type: 'validation' },
          error_message: expect.stringContaining('at most 20000 contacts'),
        },
      ],
    ]);
  });
});
