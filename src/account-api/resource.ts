/** A resource of the account API is data: its fields, its list, and what can be done with it. Everything else follows. */
import type { z } from 'zod';
import type { PersonScope } from '../base/scope.ts';
import type { Work, WorkParts } from '../identity/index.ts';
import type { AccountList } from '../notifications/index.ts';

/** Where a query may run. */
export type Executor = WorkParts['storage']['db'] | Work['executor'];

export type Json = Readonly<Record<string, unknown>>;

export interface Field {
  readonly type: 'string' | 'boolean' | 'object';
  readonly isNullable?: boolean;
  readonly isReadOnly?: boolean;
  /** For people who read the schema. */
  readonly help: string;
  /** The values that there are, where they are few. */
  readonly values?: readonly string[];
  /** Of an object. */
  readonly properties?: Fields;
}

/** By name, in the order in which they are shown. */
export type Fields = Readonly<Record<string, Field>>;

/** What an action is given: all of it checked. */
export interface Asked<Body> {
  readonly scope: PersonScope;
  readonly work: Work;
  /** Of the one that it is about; empty for an action on the whole. */
  readonly uuid: string;
  readonly body: Body;
}

export interface Done {
  readonly status: 200 | 201 | 202 | 204;
  /** Null for an answer without a body. */
  readonly body: Json | null;
  /** Where what was made is. */
  readonly location?: string;
}

export type ActionMethod = 'POST' | 'PUT' | 'DELETE';

export interface Action {
  readonly summary: string;
  readonly status: Done['status'];
  /** What its answer is: one object, a list of them under `objects`, or nothing. */
  readonly answers: 'one' | 'objects' | 'nothing';
  /** What its answer of one object has beside the fields of the resource. */
  readonly furtherFields?: Fields;
  /** Null where no body is read. */
  readonly body: z.ZodType | null;
  /** For the description, where the schema that checks cannot be written down. */
  readonly bodyShape?: z.ZodType;
  /** Of a body. */
  readonly example?: unknown;
  /** In one transaction: what is refused half-way leaves nothing behind. @throws AppError */
  run(asked: Asked<unknown>): Promise<Done>;
}

export interface Resource<Item = unknown> {
  /** In addresses. */
  readonly name: string;
  readonly summary: string;
  /** One of them, in the description. */
  readonly title: string;
  readonly fields: Fields;
  readonly list: AccountList<Item>;
  show(item: Item, scope: PersonScope): Json;
  /** Null where its objects have no address of their own. @returns undefined for one that is not this account's. */
  readonly find: ((scope: PersonScope, executor: Executor, uuid: string) => Promise<Item | undefined>) | null;
  /** On the whole. */
  readonly actions: Readonly<Partial<Record<ActionMethod, Action>>>;
  /** On one. */
  readonly actionsOnOne: Readonly<Partial<Record<ActionMethod, Action>>>;
}

/** With the body's type, which its schema vouches for. */
export function action<Schema extends z.ZodType>(
  row: Omit<Action, 'body' | 'run'> & {
    readonly body: Schema;
    run(asked: Asked<z.output<Schema>>): Promise<Done>;
  },
): Action {
  return { ...row, run: (asked) => row.run(asked as Asked<z.output<Schema>>) };
}
