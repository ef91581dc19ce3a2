/** All that an account has, as the files of an export: read a page at a time, while it is written. */
import { listActivity } from '../../audit/index.ts';
import { writeUsd } from '../../base/money.ts';
import { onlyOf } from '../../base/scope.ts';
import type { ZipFile } from '../../base/zip.ts';
import {
  listAcceptances,
  listIdentities,
  listKeys,
  listPasskeys,
  listSessions,
  readProfile,
} from '../../identity/index.ts';
import { mostStatementLines, readStatement } from '../../ledger/index.ts';
import { listWebhooks, readContactMatrix } from '../../notifications/index.ts';
import { readUsagePage, streamCsv, writeCsvLine } from '../../usage/index.ts';
import type { PortalServices } from '../services.ts';

const pageSize = 500;

export interface Progress {
  /** Requests that were read. */
  requests: number;
  /** Whether there is no room for more: then the oldest requests are left out. */
  isFull(): boolean;
}

type ReadFrom = Pick<PortalServices, 'storage' | 'clock'>;

export async function* filesOf(
  { storage: { db }, clock }: ReadFrom,
  userId: number,
  progress: Progress,
): AsyncGenerator<ZipFile> {
  const own = onlyOf(userId);
  const nowMs = clock.nowMs();
  const left = { requests: false, statement: false };
  yield json('profile.json', async () => readProfile(own, db));
  yield {
    name: 'api-keys.json',
    content: (async function* () {
      let begun = '[';
      for (let after: number | undefined; ; ) {
        const keys = await listKeys(own, db, { includeRevoked: true, after, limit: pageSize });
        for (const key of keys) {
          yield `${begun}\n${JSON.stringify(key, undefined, 2)}`;
          begun = ',';
        }
        after = keys.at(-1)?.id;
        if (keys.length < pageSize) break;
      }
      yield begun === '[' ? '[]\n' : '\n]\n';
    })(),
  };
  yield json('sessions.json', () => listSessions(own, db, nowMs));
  yield json('passkeys.json', () => listPasskeys(own, db));
  yield json('identities.json', () => listIdentities(own, db));
  yield json('terms-accepted.json', () => listAcceptances(own, db));
  yield {
    name: 'notification-contacts.jsonl',
    content: (async function* () {
      for (let offset = 0; ; offset += pageSize) {
        const { contacts } = await readContactMatrix(own, db, { offset, limit: pageSize });
        yield contacts.map((contact) => `${JSON.stringify(contact)}\n`).join('');
        if (contacts.length < pageSize) return;
      }
    })(),
  };
  // Without what signs their messages; those of an organisation are its, not the person's.
  yield json('webhooks.json', () => listWebhooks(own, db));
  yield {
    name: 'activity.jsonl',
    content: (async function* () {
      for (let before: number | undefined; ; ) {
        const { entries, next } = await listActivity(own, db, { before, limit: pageSize });
        for (const { at, action, subjectKind, subjectId, actorKind, actorId, details, personal } of entries) {
          // Who else did it, and from where, is not theirs to know.
          const told = actorId === null || actorId === userId ? personal : { label: personal?.label };
          yield `${JSON.stringify({ at, action, subjectKind, subjectId, actorKind, details, personal: told })}\n`;
        }
        if (next === null) return;
        before = next;
      }
    })(),
  };
  yield {
    name: 'statement.csv',
    content: (async function* () {
      yield 'at,kind,note,paid_usd,promotional_usd,balance_usd\r\n';
      const span = { from: new Date(0), until: new Date(nowMs) };
      const lines = await readStatement(db, userId, span);
      left.statement = lines.length >= mostStatementLines;
      for (const { at, kind, note, ...sums } of lines) {
        const amounts = [sums.paidNanoUsd, sums.promoNanoUsd, sums.balanceNanoUsd].map(writeUsd);
        yield `${[at.toISOString(), kind, quoted(note), ...amounts].join(',')}\r\n`;
      }
    })(),
  };
  yield {
    name: 'requests.csv',
    content: streamCsv(async (before) => {
      if (progress.isFull()) {
        left.requests = true;
        return { lines: [], next: null };
      }
      const { records, next } = await readUsagePage(own, db, { before, limit: pageSize });
      progress.requests += records.length;
      return { lines: [records.map(writeCsvLine).join('')], next };
    }),
  };
  yield json('export.json', async () => ({
    made_at: new Date(nowMs),
    user_id: userId,
    requests: progress.requests,
    oldest_requests_left_out: left.requests,
    oldest_statement_lines_left_out: left.statement,
  }));
}

function json(name: string, read: () => Promise<unknown>): ZipFile {
  return {
    name,
    content: (async function* () {
      yield `${JSON.stringify(await read(), undefined, 2)}\n`;
    })(),
  };
}

/** A spreadsheet would work out what begins like a formula. */
const quoted = (text: string): string =>
  `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
