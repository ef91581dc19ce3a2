/** Inference servers that accounts run themselves and have registered: listed and found, each for its own account alone. */
import { createHash } from 'node:crypto';
import { and, eq, sql } from 'drizzle-orm';
import type { PersonScope } from '../base/scope.ts';
import type { Executor } from '../storage/database.ts';
import { filterByText, type ListFilter, listOf } from '../storage/listing.ts';
import { inferenceServers } from '../storage/schema/servers.ts';
import type { Work } from '../storage/work.ts';

export interface InferenceServer {
  readonly uuid: string;
  readonly name: string;
  /** running, stopping while it ends what it has begun, or stopped. */
  readonly status: string;
  /** Null while it does not run. */
  readonly runningSince: Date | null;
}

type ServerRow = typeof inferenceServers.$inferSelect;

const readServer = ({ uuid, name, status, runningSince }: ServerRow): InferenceServer => ({
  uuid,
  name,
  status,
  runningSince,
});

/** Accounts are numbered; what is shown of the number is a UUID of version 8 that is always the same for it. */
export function accountUuid({ userId }: PersonScope): string {
  const hex = createHash('sha256').update(`account ${userId}`).digest('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`];
  return [...parts, hex.slice(20, 32)].join('-');
}

export const accountAddress = (uuid: string): string => `/api/2.0/user/${uuid}/`;

/** By its address, or by its UUID alone: of the owners of an account's servers there is one. */
const filterByOwner: ListFilter = {
  is: (values, scope) => {
    const uuid = accountUuid(scope);
    return values.some((value) => value === uuid || value === accountAddress(uuid)) ? sql`true` : sql`false`;
  },
  contains: (part, scope) => (accountAddress(accountUuid(scope)).includes(part) ? sql`true` : sql`false`),
};

/** In the order in which they were registered. */
export const serverList = listOf<ServerRow, InferenceServer>({
  table: inferenceServers,
  owner: inferenceServers.userId,
  order: [inferenceServers.id],
  filters: {
    uuid: filterByText(sql`${inferenceServers.uuid}::text`),
    resource_uri: filterByText(sql`('/api/2.0/servers/'::text || ${inferenceServers.uuid}::text || '/')`),
    name: filterByText(inferenceServers.name),
    owner: filterByOwner,
    runtime: filterByText(
      sql`coalesce(to_char(${inferenceServers.runningSince} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'null')`,
    ),
    status: filterByText(inferenceServers.status),
  },
  readRows: (executor, { where, orderBy, limit }) =>
    executor
      .select()
      .from(inferenceServers)
      .where(where)
      .orderBy(...orderBy)
      .limit(limit),
  placeOf: ({ id }) => [id],
  show: async (_executor, rows) => rows.map(readServer),
});

/** @param uuid checked to be one. */
export async function findServer(
  { userId }: PersonScope,
  executor: Executor,
  uuid: string,
): Promise<InferenceServer | undefined> {
  const isTheir = and(eq(inferenceServers.uuid, sql`${uuid}::uuid`), eq(inferenceServers.userId, userId));
  const [row] = await executor.select().from(inferenceServers).where(isTheir);
  return row && readServer(row);
}

/** With the account they go. */
export async function forgetServers({ executor }: Work, { id }: { readonly id: number }): Promise<void> {
  await executor.delete(inferenceServers).where(eq(inferenceServers.userId, id));
}
