/** Inference servers that accounts run themselves and have registered: listed and found, each for its own account alone. */
import { and, eq, sql } from 'drizzle-orm';
import type { PersonScope } from '../base/scope.ts';
import type { Executor } from '../storage/database.ts';
import { filterByText, listOf } from '../storage/listing.ts';
import { inferenceServers } from '../storage/schema/servers.ts';

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

/** In the order in which they were registered. */
export const serverList = listOf<ServerRow, InferenceServer>({
  table: inferenceServers,
  owner: inferenceServers.userId,
  order: [inferenceServers.id],
  filters: {
    uuid: filterByText(sql`${inferenceServers.uuid}::text`),
    name: filterByText(inferenceServers.name),
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
