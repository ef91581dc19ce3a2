/** A portal on a database for tests, with a clock that stands still until it is told, and people who sign in. */
import { afterAll, beforeAll } from 'bun:test';
import { asc } from 'drizzle-orm';
import type { Hono } from 'hono';
import { type TestDatabase, usualDatabase } from '../../../test/support/databases.ts';
import { type Write, within, writerOn } from '../../../test/support/writing.ts';
import { accountDescription } from '../../account-api/index.ts';
import { ByteBudget } from '../../base/byte-budget.ts';
import { proxyList } from '../../base/client-address.ts';
import { Deadlines } from '../../base/deadlines.ts';
import { openEnvelope } from '../../base/envelope.ts';
import { systemIds } from '../../base/ids.ts';
import { onlyOf } from '../../base/scope.ts';
import { clockShowing } from '../../base/testing/manual-clock.ts';
import { silentLog } from '../../base/testing/silent-log.ts';
import { Catalogue } from '../../catalogue/index.ts';
import { describeGateway } from '../../gateway/describe.ts';
import { acceptLegal, createUser, startSession, type User } from '../../identity/index.ts';
import { signedInBy } from '../../identity/testing/signed-in-by.ts';
import type { NewUser } from '../../identity/users.ts';
import { Wallets } from '../../ledger/index.ts';
import { MemoryLimiter } from '../../limits/index.ts';
import { Outbox } from '../../notifications/index.ts';
import { mailOutbox } from '../../storage/schema/notifications.ts';
import { createPortal, openLegalTexts, type PortalServices } from '../index.ts';

export const origin = 'http://sluice.test';
/** Of the faces beside the portal. */
export const descriptions = { gateway: describeGateway(), account: accountDescription };
/** Of the terms, which everybody that a test signs in has accepted. */
export const legalVersion = '2031-01-01';
const beginsAtMs = Date.UTC(2031, 0, 1);

export interface TestPortal {
  readonly app: Hono;
  readonly services: PortalServices;
  readonly catalogue: Catalogue;
  readonly wallets: Wallets;
  readonly write: Write;
  /** The mails that wait, opened, oldest first. */
  mails(): Promise<readonly WaitingMail[]>;
  setNowMs(nowMs: number): void;
  nowMs(): number;
  /** As the gateway beside it counts. */
  readonly limiter: MemoryLimiter;
  /** For how long it wanted to sleep, each time; it never does. */
  readonly sleptMs: readonly number[];
  newUser(fields?: Partial<NewUser>): Promise<User>;
  /** A person and the Cookie header of their browser. */
  signedIn(fields?: Partial<NewUser>): Promise<{ user: User; cookie: string }>;
  ask(path: string, init?: RequestInit): Promise<Asked>;
  /** Sends fields as a program does. */
  sendJson(path: string, body: unknown, headers?: Record<string, string>): Promise<Asked>;
  /** Sends fields as a form of a page does. */
  sendForm(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Asked>;
  /** Closes all but the storage. */
  close(): Promise<void>;
}

export interface WaitingMail {
  readonly to: string;
  readonly language: string;
  readonly kind: string;
  /** Whose activity says so where it cannot be delivered. */
  readonly accountId: number | null;
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface Asked {
  readonly answer: Response;
  readonly status: number;
  readonly text: string;
  readonly location: string | null;
}

/** Opens a portal and its database for the tests of a file or a suite, hands both over, and closes them at the end. */
export function withTestPortal(
  prepare: (opened: { readonly storage: TestDatabase; readonly portal: TestPortal }) => void | Promise<void>,
  {
    open = usualDatabase.open,
    changes = {},
  }: {
    readonly open?: () => Promise<TestDatabase>;
    readonly changes?: Partial<PortalServices>;
  } = {},
): void {
  let storage: TestDatabase;
  let portal: TestPortal;
  beforeAll(async () => {
    storage = await open();
    portal = await openTestPortal(storage, changes);
    await prepare({ storage, portal });
  });
  afterAll(async () => {
    await portal.close();
    await storage.close();
  });
}

export async function openTestPortal(
  storage: TestDatabase,
  changes: Partial<PortalServices> = {},
): Promise<TestPortal> {
  let nowMs = beginsAtMs;
  const sleptMs: number[] = [];
  const clock = {
    ...clockShowing(() => nowMs),
    sleep: async (delayMs: number) => {
      sleptMs.push(delayMs);
    },
  };
  const parts = { storage, clock, ids: systemIds, databaseMs: async () => nowMs };
  const { db } = storage;
  const write = writerOn(parts);
  const fail = (problem: unknown) => {
    throw new Error(String(problem));
  };
  const envelope = await openEnvelope('a secret of more than thirty-two characters');
  const catalogue = await Catalogue.open({
    db,
    changes: storage.changes,
    envelope,
    clock,
    onReloadFailed: fail,
    onWarning: fail,
  });
  const wallets = new Wallets({ db, changes: storage.changes, clock, databaseMs: parts.databaseMs });
  const limiter = new MemoryLimiter(clock);
  const services: PortalServices = {
    ...parts,
    catalogue,
    wallets,
    limiter,
    tokenPrefix: 'sluice_',
    log: silentLog,
    stopping: new AbortController().signal,
    mail: new Outbox({ ...parts, envelope, service: { name: 'Sluice', url: origin } }),
    envelope,
    webhookNetwork: {
      isPrivateAllowed: false,
      resolve: async () => [{ address: '93.184.215.14', family: 4 }],
    },
    identityProviders: [],
    resellerHosts: { find: () => undefined },
    legal: { ...openLegalTexts(null), version: legalVersion },
    demonstration: null,
    trial: null,
    descriptions,
    keptMails: null,
    bodies: new ByteBudget(1024 ** 2),
    deadlines: new Deadlines(clock),
    publicUrl: null,
    lowBalance: { lowNanoUsd: 10_000_000_000n, veryLowNanoUsd: 2_000_000_000n },
    trustedProxies: proxyList([]),
    isDevelopment: true,
    ...changes,
  };
  const app = createPortal(services);
  let people = 0;
  const newUser = (fields: Partial<NewUser> = {}) => {
    people += 1;
    return write(createUser, { email: `person-${people}@example.test`, role: 'member', ...fields });
  };
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await app.request(`${origin}${path}`, init);
    const text = await answer.text();
    return { answer, status: answer.status, text, location: answer.headers.get('location') };
  };
  return {
    app,
    services,
    catalogue,
    wallets,
    write,
    newUser,
    ask,
    nowMs: () => nowMs,
    sleptMs,
    limiter,
    setNowMs: (given) => {
      nowMs = given;
    },
    async signedIn(fields) {
      const user = await newUser(fields);
      await write(within(onlyOf(user.id), acceptLegal), services.legal.version);
      const { token } = await write(startSession, user.id, signedInBy('password'));
      return { user, cookie: `sluice=${token}` };
    },
    async mails() {
      const rows = await db.select().from(mailOutbox).orderBy(asc(mailOutbox.id));
      return Promise.all(
        rows.map(async ({ recipient, language, kind, accountId, sealedContent }) => {
          const { facts } = JSON.parse(await envelope.open(sealedContent ?? ''));
          return { to: recipient, language, kind, accountId, facts };
        }),
      );
    },
    sendJson: (path, body, headers = {}) =>
      ask(path, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
    sendForm: (path, fields, headers = {}) =>
      ask(path, {
        method: 'POST',
        body: new URLSearchParams(fields).toString(),
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          accept: 'text/html',
          ...headers,
        },
      }),
    close: () => catalogue.close(),
  };
}
