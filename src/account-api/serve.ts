/** One request to the account API, from its address to its answer. */
import type { Context } from 'hono';
import { AppError, asAppError, describeThrown, type FieldIssue } from '../base/errors.ts';
import { fieldError } from '../base/field-check.ts';
import type { LogFields } from '../base/log.ts';
import { type PasswordDirectory, transact } from '../identity/index.ts';
import { RateLimitedError } from '../limits/index.ts';
import { writeAnswer } from './answer.ts';
import { type Asker, findAsker, holdAsker } from './asker.ts';
import { readJson, requireJsonAnswer } from './content.ts';
import { defaultLimit, readListQuery, writeList } from './list.ts';
import type { ListPlaces } from './list-places.ts';
import { noSuchPlace, refuse } from './refuse.ts';
import type { Action, ActionMethod, Fields, Json, Resource } from './resource.ts';
import type { AccountApiServices } from './services.ts';

/** So many requests a minute of an account are no use of it any more, but a loop that ran away. */
const mostRequestsPerMinute = 12_000;
const root = '/api/2.0/';
const uuidShape = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What an address leads to. */
type Place =
  | { readonly what: 'list' | 'schema'; readonly resource: Resource; readonly uuid: '' }
  | { readonly what: 'one'; readonly resource: Resource; readonly uuid: string };

export interface Serving {
  readonly resources: readonly Resource[];
  readonly services: AccountApiServices;
  readonly passwords: PasswordDirectory;
  readonly places: ListPlaces;
}

export async function serve(context: Context, serving: Serving): Promise<Response> {
  const { ids, log } = serving.services;
  const requestId = ids.requestId();
  const { method } = context.req;
  const { pathname } = new URL(context.req.url);
  try {
    const place = findPlace(pathname, serving.resources);
    const allowed = allowedAt(place);
    if (method === 'OPTIONS') {
      return writeAnswer({ status: 204, body: null, requestId, headers: { allow: allowed.join(', ') } });
    }
    if (!allowed.includes(method)) return refuseMethod(context, allowed, requestId);
    const asker = await findAsker(context, serving.services, serving.passwords);
    await requireAllowance(asker, serving.services);
    if (place.what === 'one' && !uuidShape.test(place.uuid)) throw noSuchPlace(pathname);
    requireJsonAnswer(context.req.header('accept'));
    if (method === 'GET' || method === 'HEAD')
      return await answerReading(context, serving, { place, asker, requestId });
    return await answerAction(context, serving, { place, asker, requestId });
  } catch (thrown) {
    const error = asAppError(thrown);
    if (error.status >= 500) {
      log.error('an account API request failed', factsOf(error, { requestId, method, pathname }));
    }
    return refuse(error, requestId);
  }
}

interface Failing {
  readonly requestId: string;
  readonly method: string;
  readonly pathname: string;
}

const factsOf = (error: AppError, { requestId, method, pathname }: Failing): LogFields => ({
  ...{ requestId, method, path: pathname, errorCode: error.code },
  detail: describeThrown(error.cause ?? error),
});

/** With or without the slash at its end: a redirect would lose the body of a request. @throws AppError `not_found`. */
function findPlace(pathname: string, resources: readonly Resource[]): Place {
  const steps = pathname.startsWith(root) ? pathname.slice(root.length).replace(/\/$/, '').split('/') : [];
  const [name, last, ...deeper] = steps;
  const resource = resources.find((one) => one.name === name);
  if (resource === undefined || deeper.length > 0) throw noSuchPlace(pathname);
  if (last === undefined) return { what: 'list', resource, uuid: '' };
  if (last === 'schema') return { what: 'schema', resource, uuid: '' };
  if (resource.find === null) throw noSuchPlace(pathname);
  return { what: 'one', resource, uuid: last.toLowerCase() };
}

function allowedAt({ what, resource }: Pick<Place, 'what' | 'resource'>): readonly string[] {
  const actions =
    what === 'schema' ? [] : Object.keys(what === 'list' ? resource.actions : resource.actionsOnOne);
  return ['GET', 'HEAD', 'OPTIONS', ...actions];
}

function refuseMethod(context: Context, allowed: readonly string[], requestId: string): Response {
  const answer = refuse(
    new AppError({
      code: 'method_not_allowed',
      public: `${context.req.method.slice(0, 20)} is not possible here; use ${allowed.join(', ')}.`,
    }),
    requestId,
  );
  answer.headers.set('allow', allowed.join(', '));
  return answer;
}

/** @throws AppError `rate_limited`. */
async function requireAllowance({ userId }: Asker, { limiter }: AccountApiServices): Promise<void> {
  const userLimits = {
    ...{ requestsPerMinute: mostRequestsPerMinute, tokensPerMinute: null, concurrentRequests: null },
  };
  try {
    // Below zero no person is: this is what an account asks here, counted apart from what it asks of models. Keys below
    // zero are the portal's, and a holder that is told of two limits in turn forgives what lies between them.
    const ticket = await limiter.admit({ keyId: 0, userId: -userId, keyLimits: null, userLimits });
    ticket.close(0);
  } catch (thrown) {
    if (!(thrown instanceof RateLimitedError)) throw thrown;
    throw new AppError({
      code: 'rate_limited',
      public: `An account may ask ${mostRequestsPerMinute} times a minute here. Try again in ${thrown.retryAfterSeconds ?? 1} s.`,
      retryAfterSeconds: thrown.retryAfterSeconds ?? 1,
      cause: thrown,
    });
  }
}

interface Served {
  readonly place: Place;
  readonly asker: Asker;
  readonly requestId: string;
}

async function answerReading(
  context: Context,
  { services, places }: Serving,
  { place: { what, resource, uuid }, asker: { scope }, requestId }: Served,
): Promise<Response> {
  const executor = services.storage.db;
  if (what === 'schema')
    return writeAnswer({ status: 200, body: JSON.stringify(schemaOf(resource)), requestId });
  if (what === 'list') {
    const parameters = new URL(context.req.url).searchParams;
    const query = readListQuery(parameters, resource.list.filters);
    const { method, path: pathname } = context.req;
    const brokenOff = (thrown: unknown) =>
      services.log.error(
        'an account API answer broke off',
        factsOf(asAppError(thrown), { requestId, method, pathname }),
      );
    const body = await places.use(scope.userId, () =>
      writeList({ resource, scope, executor, query, brokenOff }),
    );
    return writeAnswer({ status: 200, body, requestId });
  }
  const found = await resource.find?.(scope, executor, uuid);
  if (found === undefined) throw noSuchPlace(context.req.path);
  return writeAnswer({ status: 200, body: JSON.stringify(resource.show(found, scope)), requestId });
}

/** What a resource says of itself at `schema/`, for programs that find their way by it. */
function schemaOf({ fields, list, find, actions, actionsOnOne }: Resource): Json {
  const methods = (of: object) => ['get', ...Object.keys(of).map((method) => method.toLowerCase())];
  return {
    allowed_detail_http_methods: find === null ? [] : methods(actionsOnOne),
    allowed_list_http_methods: methods(actions),
    default_format: 'application/json',
    default_limit: defaultLimit,
    fields: schemaOfFields(fields),
    filtering: Object.fromEntries(list.filters.map((name) => [name, ['exact', 'contains']])),
  };
}

const schemaOfFields = (fields: Fields): Json =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { type, isNullable, isReadOnly, help, values, properties }]) => [
      name,
      {
        type,
        nullable: isNullable === true,
        readonly: isReadOnly === true,
        help_text: help,
        ...(values !== undefined && { valid_choices: values }),
        ...(properties !== undefined && { fields: schemaOfFields(properties) }),
      },
    ]),
  );

async function answerAction(
  context: Context,
  { services }: Serving,
  { place: { what, resource, uuid }, asker, requestId }: Served,
): Promise<Response> {
  const actions = what === 'list' ? resource.actions : resource.actionsOnOne;
  const action = actions[context.req.method as ActionMethod];
  if (action === undefined) throw noSuchPlace(context.req.path);
  const given = action.body === null ? null : await readJson(context.req.raw, services);
  const { scope, userId } = asker;
  const userAgent = context.req.header('user-agent')?.slice(0, 300);
  const actor = { kind: 'person', userId, address: asker.address, userAgent } as const;
  const done = await placeErrors(given, async () => {
    const body = checkBody(action, given);
    return transact({ ...services, actor }, async (work) => {
      await holdAsker(asker, work);
      return await action.run({ scope, work, uuid, body });
    });
  });
  return writeAnswer({
    status: done.status,
    body: done.body === null ? null : JSON.stringify(done.body),
    requestId,
    headers: done.location === undefined ? {} : { location: done.location },
  });
}

/** One that came by itself may be read as a list of one; nobody is to look for its mistake in a list. */
async function placeErrors<Result>(given: unknown, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (thrown) {
    const fields = thrown instanceof AppError ? thrown.fields : [];
    const isInList = fields.some(({ loc }) => typeof loc[0] === 'number');
    if (Array.isArray(given) || !isInList) throw thrown;
    throw fieldError(fields.map((field) => ({ ...field, loc: field.loc.slice(1) })));
  }
}

/** @throws AppError `validation_failed` with what is wrong of the body. */
function checkBody({ body: schema }: Action, given: unknown): unknown {
  const read = schema?.safeParse(given);
  if (read === undefined) return null;
  if (read.success) return read.data;
  const fields = read.error.issues.slice(0, mostIssues).flatMap((issue): FieldIssue[] => {
    const loc = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
    if (issue.code !== 'unrecognized_keys') return [{ loc, msg: issue.message, type: issue.code }];
    return issue.keys.slice(0, mostIssues).map((key) => {
      return {
        loc: [...loc, key.slice(0, 100)],
        msg: 'is no field here that can be given',
        type: issue.code,
      };
    });
  });
  throw fieldError(fields.slice(0, mostIssues));
}

/** More wrong fields than somebody can look at are left out. */
const mostIssues = 20;
