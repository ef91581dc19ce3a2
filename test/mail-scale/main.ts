/**
 * `npm run mail-scale`: how long events take to reach contacts, with a started service on PostgreSQL and a real mail
 * server, while what an operator sees is printed; and how long pages of a long list of contacts take. `--events 1000
 * --contacts 1000 --accounts 100`: the contacts are spread over the accounts, and so are the events, each of which goes
 * to all contacts of its account, but to those that are not its own address as many as one gets in a day. `--list 10000`, `--connections 5`, `--minutes 30`; it ends with 1 where one is lost, and where a page
 * far behind takes longer than the first.
 */
import { parseArgs } from 'node:util';
import { sql } from 'drizzle-orm';
import { systemClock } from '../../src/base/clock.ts';
import { systemIds } from '../../src/base/ids.ts';
import { everybody } from '../../src/base/scope.ts';
import { createKey, createUser } from '../../src/identity/index.ts';
import { readDeliveryState } from '../../src/notifications/index.ts';
import { mostMailsADay } from '../../src/notifications/told-contacts.ts';
import { raiseEvent } from '../../src/storage/events.ts';
import { openStorage, type Storage } from '../../src/storage/index.ts';
import { toldAddresses } from '../../src/storage/schema/notifications.ts';
import { transact, type WorkParts } from '../../src/storage/work.ts';
import { usualDatabase } from '../support/databases.ts';
import { type SluiceProgram, startProgram } from '../support/program.ts';
import { openReceiver, type Receiver } from './open-receiver.ts';

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000' },
    contacts: { type: 'string', default: '1000' },
    accounts: { type: 'string', default: '100' },
    connections: { type: 'string', default: '5' },
    list: { type: 'string', default: '10000' },
    minutes: { type: 'string', default: '30' },
  },
});
const events = Number(values.events);
const accounts = Number(values.accounts);
const contactsEach = Math.ceil(Number(values.contacts) / accounts);
const listed = Number(values.list);
const limitMs = Number(values.minutes) * 60_000;
const lookEveryMs = 2000;
const raisedAtOnce = 100;
const madeAtOnce = 500;
const pageTries = 15;
/** A page that is read past all before it would take some fifty times as long as the first. */
const mostSlower = 3;
const noiseMs = 20;

if (usualDatabase.kind !== 'postgres') {
  throw new Error('This needs PostgreSQL: install it, or set SLUICE_TEST_POSTGRES_URL.');
}
const database = await usualDatabase.prepare();
const storage = await openStorage(database.options);
const parts: WorkParts = { storage, clock: systemClock, ids: systemIds };
const receiver = await openReceiver();
const program = await startProgram({
  file: {},
  database,
  variables: {
    SLUICE_SMTP_URL: receiver.url,
    SLUICE_MAIL_FROM: 'Sluice <sluice@mail.test>',
    SLUICE_SMTP_CONNECTIONS: values.connections,
  },
});
try {
  const isWhole = await deliver({ storage, program, receiver });
  const isEven = await list(program.url);
  process.exitCode = isWhole && isEven ? 0 : 1;
} finally {
  await program.discard();
  receiver.stop();
  await storage.close();
  await database.discard();
}

interface Setting {
  readonly storage: Storage;
  readonly program: SluiceProgram;
  readonly receiver: Receiver;
}

/** @returns whether each contact got each event of its account that it is told of, once. */
async function deliver({ program: { readCost }, receiver: { count } }: Setting): Promise<boolean> {
  const owners: number[] = [];
  for (let at = 0; at < accounts; at += 1) owners.push(await makeAccount(`account-${at}`, contactsEach));
  // Each contact is told of its account's making, too.
  while (!(await isQuiet())) await Bun.sleep(lookEveryMs);
  await storage.db.delete(toldAddresses);
  const before = await count();
  const restBytes = readCost().residentBytes;
  const startedMs = performance.now();
  for (let done = 0; done < events; done += raisedAtOnce) {
    await transact(parts, async (work) => {
      for (let at = done; at < Math.min(events, done + raisedAtOnce); at += 1) {
        await raiseEvent(work, {
          kind: 'key.expired',
          facts: { key_id: at, name: `key ${at}`, expires_at: '2030-01-01T00:00:00Z' },
          audience: { of: 'account', id: owners[at % accounts] ?? 0 },
        });
      }
    });
  }
  let expected = 0;
  for (let at = 0; at < accounts; at += 1) {
    const raised = Math.ceil((events - at) / accounts);
    expected += raised + (contactsEach - 1) * Math.min(raised, mostMailsADay);
  }
  print(
    `${events} events are raised, for ${expected} mails to ${accounts * contactsEach} contacts of ${accounts} accounts`,
  );
  let [spreadMs, mostBytes, last] = [0, restBytes, 0];
  for (;;) {
    await Bun.sleep(lookEveryMs);
    const sinceMs = performance.now() - startedMs;
    const state = await readDeliveryState(storage.db, Date.now());
    const { mails } = await count();
    const sent = mails - before.mails;
    mostBytes = Math.max(mostBytes, readCost().residentBytes);
    if (state.events.waiting === 0 && spreadMs === 0) spreadMs = sinceMs;
    print(
      `${seconds(sinceMs).padStart(8)}  events ${state.events.waiting}, mails waiting ${state.mails.waiting}, arrived ${sent} (${Math.round(((sent - last) / lookEveryMs) * 1000)}/s), failed before ${state.mails.retrying}, given up ${state.mails.failedLastDay}, oldest ${Math.round(state.mails.oldestSeconds ?? 0)} s, ${mebibytes(mostBytes)}`,
    );
    last = sent;
    const isOver = state.events.waiting === 0 && state.mails.waiting === 0;
    if (!isOver && sinceMs < limitMs) continue;
    const after = await count();
    const distinct = after.distinct - before.distinct;
    print(
      `${distinct} of ${expected} mails arrived in ${seconds(sinceMs)}, ${Math.round((distinct / sinceMs) * 1000)} a second; ${after.mails - before.mails - distinct} twice; recipients found within ${seconds(spreadMs)}; ${after.mostOpen} connections at most; the service held ${mebibytes(restBytes)} before and ${mebibytes(mostBytes)} at most, and took ${seconds(readCost().cpuMs)} of a core`,
    );
    return isOver && distinct === expected && after.mails - before.mails === expected;
  }
}

async function isQuiet(): Promise<boolean> {
  const { events: unspread, mails } = await readDeliveryState(storage.db, Date.now());
  return unspread.waiting === 0 && mails.waiting === 0;
}

/** Its main contact is the first of them. */
async function makeAccount(name: string, contacts: number): Promise<number> {
  const { id } = await transact(parts, (work) =>
    createUser(work, { email: `${name}@example.test`, role: 'member' }),
  );
  for (let from = 2; from <= contacts; from += madeAtOnce) {
    await storage.db.execute(sql`
      INSERT INTO notification_contacts (user_id, email, name)
      SELECT ${id}, ${name}::text || '-' || place || '@example.test', 'Contact ' || place
      FROM generate_series(${from}::int, ${Math.min(contacts, from + madeAtOnce - 1)}::int) AS place`);
  }
  return id;
}

/** Pages of an account with many contacts, from the first to the last. @returns whether the last come as fast as the first. */
async function list(url: string): Promise<boolean> {
  let isEven = true;
  const ownerId = await makeAccount('many', listed);
  await storage.db.execute(sql`VACUUM (ANALYZE) notification_contacts, notification_preferences`);
  const { token } = await transact(parts, (work) =>
    createKey(everybody, work, 'sluice_', { name: 'list', ownerId, scopes: ['read'] }),
  );
  for (const [resource, total] of [
    ['notification_contacts', listed],
    ['notification_preferences', listed * 22],
  ] as const) {
    let firstMs: number | undefined;
    for (const offset of [0, total / 10, total / 2, total - 20].map(Math.floor)) {
      const times: number[] = [];
      for (let at = 0; at < pageTries; at += 1) {
        const startedMs = performance.now();
        const answer = await fetch(`${url}/api/2.0/${resource}/?limit=20&offset=${offset}`, {
          headers: { authorization: `Bearer ${token}` },
        });
        const text = await answer.text();
        if (answer.status !== 200) throw new Error(`${answer.status}: ${text}`);
        times.push(performance.now() - startedMs);
      }
      const [median = 0] = times.sort((one, other) => one - other).slice(Math.floor(pageTries / 2));
      firstMs ??= median;
      isEven &&= median <= mostSlower * firstMs + noiseMs;
      print(`${median.toFixed(1).padStart(8)} ms  20 of ${total} ${resource} from ${offset}`);
    }
  }
  return isEven;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function mebibytes(count: number): string {
  return `${Math.round(count / 1024 ** 2)} MiB`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
