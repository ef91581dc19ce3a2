/** A route of the portal is a row of data: everything that is known of it, from which it is mounted, guarded, described and tested. */
import type { Context, MiddlewareHandler } from 'hono';
import { z } from 'zod';
import type { Actor } from '../audit/index.ts';
import { AppError } from '../base/errors.ts';
import type { Scope } from '../base/scope.ts';
import { type AdminView, findSession, type Session, scopeOf, type UserRole } from '../identity/index.ts';
import { readBody, readFields } from './asked.ts';
import { clientAddress, userAgentOf } from './client-facts.ts';
import type { PortalServices } from './services.ts';
import { readSessionToken } from './session-cookie.ts';

/**
 * Who may. `anyone`, signed in or not; `session`, whoever is signed in, whatever their status and whether or not they
 * accepted the terms; a role, whoever has it or one above it, is active and has accepted.
 */
export type Access = 'anyone' | 'session' | UserRole;

/** What it answers with when all goes well. `page` is HTML; `action` is JSON to a program and a redirect to a form. */
export type AnswerKind = 'page' | 'action' | 'json' | 'redirect' | 'csv' | 'file';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

type Fields = z.ZodObject;
const noFields = z.object({});

/** What a handler reads of a request, each by a schema; what is not named is not read. */
interface Parts {
  readonly params?: Fields | undefined;
  readonly query?: Fields | undefined;
  readonly body?: Fields | undefined;
}

type Read<Schema> = Schema extends Fields ? z.output<Schema> : Record<never, never>;

/** What a handler is given: all of it checked. */
export interface Asked<Who extends Access = 'anyone', Has extends Parts = Parts> {
  readonly context: Context;
  readonly services: PortalServices;
  /** Null only where anyone may ask and nobody is signed in. */
  readonly session: Who extends 'anyone' ? Session | null : Session;
  /** Whose things this may touch; nobody's for who is not signed in. */
  readonly scope: Who extends 'anyone' ? Scope | null : Scope;
  readonly params: Read<Has['params']>;
  readonly query: Read<Has['query']>;
  readonly body: Read<Has['body']>;
}

/** A form that was refused, as it was sent. */
export interface RefusedForm {
  readonly context: Context;
  readonly services: PortalServices;
  readonly session: Session;
  readonly scope: Scope;
  /** In the reader's words. */
  readonly error: AppError;
  /** Unchecked: texts, and lists of texts. */
  readonly form: Readonly<Record<string, unknown>>;
}

interface Described {
  readonly method: Method;
  /** With path parameters as `{user_id}`, and as `{model…}` at the end for what may have slashes in it. */
  readonly path: string;
  /** What it is for, as a short sentence of the API's description, without a full stop. */
  readonly summary: string;
  /** The group that it stands in there. */
  readonly tag: string;
  readonly access: Access;
  readonly answers: AnswerKind;
  /** The page that a form which is refused leads back to, by what was sent and to where; `/dashboard` when not given. */
  readonly page?:
    | string
    | ((sent: Readonly<Record<string, unknown>>, params: Readonly<Record<string, string>>) => string);
  /**
   * Draws the page of a form whose fields were refused, or that somebody else's change overtook, in place of a redirect:
   * for a form that can hold more than a cookie.
   */
  readonly redraw?: (refused: RefusedForm) => Promise<Response>;
  /** True for the GET that changes something: a HEAD then changes nothing. */
  readonly changes?: boolean;
  /** True where the request shows by itself who sent it, such as by a signature: it may come from another site. */
  readonly fromElsewhere?: boolean;
  /** In place of those of every page. */
  readonly headers?: MiddlewareHandler;
  /** Statuses that it answers with beside those that follow from this row, with the reason of each. */
  readonly refusals?: Readonly<Record<number, string>>;
}

/** What a form or a program's JSON may hold at most, in bytes. */
const mostBodyBytes = 65_536;

export interface Route extends Described {
  readonly params: Fields;
  readonly query: Fields;
  readonly body: Fields | null;
  readonly mostBodyBytes: number;
  /** What an action answers with beside `ok`, or a JSON route as a whole. */
  readonly result: z.ZodType | null;
  /** @throws AppError for what is wrong with the request, and what the handler throws. */
  answer(context: Context, services: PortalServices, session: Session | null): Promise<Response>;
}

interface RouteInput<
  Who extends Access,
  Params extends Fields | undefined,
  Query extends Fields | undefined,
  Body extends Fields | undefined,
> extends Described {
  readonly access: Who;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly mostBodyBytes?: number;
  readonly result?: z.ZodType;
  handle(asked: Asked<Who, { params: Params; query: Query; body: Body }>): Response | Promise<Response>;
}

/** Makes a row whose handler is given what its schemas say. */
export function route<
  const Who extends Access,
  Params extends Fields | undefined = undefined,
  Query extends Fields | undefined = undefined,
  Body extends Fields | undefined = undefined,
>(row: RouteInput<Who, Params, Query, Body>): Route {
  const { params = noFields, query = noFields, body, result = null, handle, ...described } = row;
  const bound = row.mostBodyBytes ?? mostBodyBytes;
  return {
    ...described,
    params,
    query,
    body: body ?? null,
    mostBodyBytes: bound,
    result,
    async answer(context, services, session) {
      const { req } = context;
      const ofPath = readFields(context, 'path', params, req.param());
      const ofQuery = readFields(context, 'query', query, req.query());
      const sent = body === undefined ? undefined : await readBody(context, services, bound);
      // Before its fields are looked at: a form that is refused for them is drawn again for who sent it.
      if (body !== undefined && session !== null && described.access !== 'anyone') {
        await requireUnchanged(context, services, session);
      }
      const asked = {
        context,
        services: { ...services, actor: actorOf(context, services, session) },
        session,
        scope: session === null ? null : scopeOf(session.user, viewFor(described.access, session)),
        params: ofPath,
        query: ofQuery,
        body: body === undefined ? {} : readFields(context, 'body', body, sent),
      };
      // The guard lets nobody in without a session but where anyone may ask, which is what the handler's types say.
      return handle(asked as Asked<Who, { params: Params; query: Query; body: Body }>);
    },
  };
}

/**
 * A body takes as long to come as its sender likes, and who was let in before may have been signed out meanwhile.
 * @throws AppError `not_signed_in`, or `not_allowed` for who may do other things now than when the request came.
 */
async function requireUnchanged(
  context: Context,
  services: PortalServices,
  { user: before }: Session,
): Promise<void> {
  const token = readSessionToken(context, services) ?? '';
  const now = (await findSession(services, token, { isCookieWritable: false }))?.user;
  if (now === undefined) throw new AppError({ code: 'not_signed_in', public: 'Sign in first.' });
  const [is, was] = [now, before].map(({ status, role, organisationId, departmentId }) =>
    [status, role, organisationId, departmentId].join(),
  );
  if (is === was) return;
  throw new AppError({
    code: 'not_allowed',
    reason: 'changed_meanwhile',
    public: 'What your account may do was changed while this was sent. Try again.',
  });
}

/** What is for admins alone is about what they administer, whether or not they look at their own things elsewhere. */
function viewFor(access: Access, { view }: Session): AdminView {
  const isForAdmins = access !== 'anyone' && access !== 'session' && access !== 'member';
  return isForAdmins ? { ...view, adminMode: true } : view;
}

/** Whom the audit trail names for what this request does. */
function actorOf(context: Context, services: PortalServices, session: Session | null): Actor {
  return {
    ...(session === null ? { kind: 'visitor', userId: null } : { kind: 'person', userId: session.user.id }),
    address: clientAddress(context, services),
    userAgent: userAgentOf(context),
  };
}

/** A day in an address, in UTC: what is before or behind all requests a database may not know as a time. */
export const dayField = z.iso.date().regex(/^(?:19[7-9]|[2-9]\d\d)\d-/);

/** A row's number in an address. */
export const idField = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

/** A key's number in a filter. Below zero it is no row, and stands for what its person tried in the portal. */
export const keyNumberField = z.coerce.number().int();
