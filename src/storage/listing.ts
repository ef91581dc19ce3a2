/** A list of what an account has, read of a table: counted, filtered, and in pieces however long it is. */
import { and, desc, eq, or, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { ListCondition, ListQuery } from '../base/list-query.ts';
import type { PersonScope } from '../base/scope.ts';
import type { Executor } from './database.ts';

/** How a field is looked for. */
export interface ListFilter {
  is(values: readonly string[], scope: PersonScope): SQL;
  contains(part: string, scope: PersonScope): SQL;
}

/** A page of rows, as the query that reads it needs it said. */
export interface RowPage {
  readonly where: SQL | undefined;
  readonly orderBy: readonly PgColumn[];
  readonly limit: number;
}

/** A room says what is its own; everything else of a list is here. */
export interface ListDefinition<Row, Item> {
  readonly table: PgTable;
  /** The column that says whose a row is. */
  readonly owner: PgColumn;
  /** What a row is placed by. With the owner before it there has to be an index, and it is unique. */
  readonly order: readonly PgColumn[];
  /** By the names that whoever asks knows. */
  readonly filters: Readonly<Record<string, ListFilter>>;
  readRows(executor: Executor, page: RowPage): Promise<Row[]>;
  /** Its values of the columns of `order`. */
  placeOf(row: Row): readonly (string | number)[];
  /** What is shown of rows, in their order. */
  show(executor: Executor, rows: readonly Row[]): Promise<readonly Item[]>;
}

/** A list that somebody asked for. */
export interface ListedPage<Item> {
  /** Of all pages together. */
  readonly total: number;
  /** Piece by piece, each read when it is asked for, so that nobody holds a long list. */
  readonly pieces: AsyncGenerator<readonly Item[], void, undefined>;
}

export interface AccountList<Item> {
  readonly filters: readonly string[];
  read(scope: PersonScope, executor: Executor, query: ListQuery): Promise<ListedPage<Item>>;
}

/** At most so many rows at once. */
const pieceSize = 500;

export function listOf<Row, Item>(definition: ListDefinition<Row, Item>): AccountList<Item> {
  const { table, owner, filters } = definition;
  return {
    filters: Object.keys(filters),
    async read(scope, executor, query) {
      const conditions = query.conditions.map((one) => conditionOf(filters, one, scope));
      const where = and(eq(owner, scope.userId), ...conditions);
      const total = await executor.$count(table, where);
      return { total, pieces: readPieces(definition, executor, { where, query, total }) };
    },
  };
}

interface Asked {
  readonly where: SQL | undefined;
  readonly query: ListQuery;
  readonly total: number;
}

/**
 * The first from the place that its offset leads to, the others by what the one before them ended with: so that none is
 * slower than it.
 */
async function* readPieces<Row, Item>(
  definition: ListDefinition<Row, Item>,
  executor: Executor,
  { where, query, total }: Asked,
): AsyncGenerator<readonly Item[], void, undefined> {
  const { order, readRows, placeOf, show } = definition;
  let left = query.limit ?? Number.POSITIVE_INFINITY;
  let from: SQL | undefined;
  if (query.offset > 0) {
    const place = await findPlace(definition, executor, { where, offset: query.offset, total });
    if (place === undefined) return;
    from = isPlaced(order, '>=', place);
  }
  while (left > 0) {
    const limit = Math.min(left, pieceSize);
    const rows = await readRows(executor, { where: and(where, from), orderBy: order, limit });
    if (rows.length > 0) yield await show(executor, rows);
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return;
    left -= rows.length;
    from = isPlaced(order, '>', placeOf(last));
  }
}

/**
 * What is skipped is looked at in the index alone, not row by row, from the end that is nearer: so that the last page
 * comes as fast as the first. Undefined behind the end.
 */
async function findPlace<Row, Item>(
  { table, order }: ListDefinition<Row, Item>,
  executor: Executor,
  {
    where,
    offset,
    total,
  }: { readonly where: SQL | undefined; readonly offset: number; readonly total: number },
): Promise<readonly (string | number)[] | undefined> {
  if (offset >= total) return undefined;
  const isNearEnd = offset > total / 2;
  const columns = Object.fromEntries(order.map((column, at) => [String(at), column]));
  const [place] = await executor
    .select(columns)
    .from(table)
    .where(where)
    .orderBy(...(isNearEnd ? order.map((column) => desc(column)) : order))
    .offset(isNearEnd ? total - 1 - offset : offset)
    .limit(1);
  return place && order.map((_, at) => place[String(at)] as string | number);
}

function isPlaced(order: readonly PgColumn[], how: '>' | '>=', place: readonly (string | number)[]): SQL {
  const values = place.map((value) => sql`${value}`);
  return sql`(${sql.join([...order], sql`, `)}) ${sql.raw(how)} (${sql.join(values, sql`, `)})`;
}

function conditionOf(
  filters: Readonly<Record<string, ListFilter>>,
  { field, how, anyOf }: ListCondition,
  scope: PersonScope,
): SQL | undefined {
  const filter = filters[field];
  if (filter === undefined) throw new Error(`${field} is no field of this list`);
  return how === 'is' ? filter.is(anyOf, scope) : or(...anyOf.map((part) => filter.contains(part, scope)));
}

/** By the text that is shown of the field. */
export function filterByText(shown: SQL | PgColumn): ListFilter {
  return {
    is: (values) =>
      sql`${shown} IN (${sql.join(
        values.map((value) => sql`${value}`),
        sql`, `,
      )})`,
    contains: (part) => sql`strpos(${shown}, ${part}) > 0`,
  };
}
