/** The portal's machine-readable description (OpenAPI 3.1.0), made of the rows that are mounted and the schemas that check. */
import { z } from 'zod';
import { type Access, type AnswerKind, type Route, route } from './route.ts';
import type { PortalServices } from './services.ts';
import { visitOf } from './visit.ts';
import { joinDescriptions } from './whole-description.ts';

type Json = Readonly<Record<string, unknown>>;

const version = '0.1.0';

/** @param routes all that are described, this one among them. */
export const descriptionRoutes = (routes: () => readonly Route[]): readonly Route[] => [
  route({
    method: 'GET',
    path: '/openapi.json',
    summary: 'This description',
    tag: 'Description',
    access: 'anyone',
    answers: 'json',
    handle: ({ context }) => context.json(describePortal(routes(), visitOf(context).address)),
  }),
  route({
    method: 'GET',
    path: '/openapi/all.json',
    summary: 'The descriptions of the gateway, the portal and the account API as one',
    tag: 'Description',
    access: 'anyone',
    answers: 'json',
    handle: ({ context, services }) =>
      context.json(describeAll(routes(), { ...services, address: visitOf(context).address })),
  }),
];

interface Whole extends Pick<PortalServices, 'descriptions'> {
  readonly address: string;
}

/** Also where gateways are processes of their own: people reach them under the same address. */
function describeAll(routes: readonly Route[], { descriptions, address }: Whole): Json {
  const known = wholes.get(descriptions);
  const whole =
    known ??
    joinDescriptions([descriptions.gateway, describeRoutes(routes), descriptions.account], wholeInfo);
  wholes.set(descriptions, whole);
  return { ...whole, servers: [{ url: address }] };
}

const wholes = new WeakMap<PortalServices['descriptions'], Json>();

const wholeInfo = {
  title: 'Sluice',
  version,
  description:
    'The gateway for requests to models, the portal with its pages and the actions behind them, and the account API. Each has a description of its own, too: `/openapi/gateway.json`, `/openapi.json` and `/openapi/account.json`.',
};

/** @param address where people reach this service. */
export function describePortal(routes: readonly Route[], address: string): Json {
  const { openapi, info, ...rest } = describeRoutes(routes);
  return { openapi, info, servers: [{ url: address }], ...rest };
}

/** Rows never change, and turning their schemas into words takes longer than everything else of an answer. */
const described = new WeakMap<readonly Route[], Json>();

function describeRoutes(routes: readonly Route[]): Json {
  const known = described.get(routes);
  if (known !== undefined) return known;
  const fresh = describeAnew(routes);
  described.set(routes, fresh);
  return fresh;
}

function describeAnew(routes: readonly Route[]): Json {
  const paths = new Map<string, Json>();
  for (const row of routes) {
    const path = row.path.replace('…}', '}');
    paths.set(path, { ...paths.get(path), [row.method.toLowerCase()]: operationOf(row) });
  }
  const tags = [...new Set(routes.map(({ tag }) => tag))];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sluice portal',
      version,
      description:
        'Pages for people, and the actions behind them. An action answers JSON to a program, and to a form that a browser sends (`Accept: text/html`) a redirect to a page with a message.',
    },
    tags: tags.map((name) => ({ name })),
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-sluice',
          description: 'The session of a person who signed in. On plain http it is named `sluice`.',
        },
      },
      schemas: { Refusal: jsonSchemaOf(refusalSchema) },
    },
  };
}

const refusalSchema = z.object({
  ok: z.literal(false),
  error: z.string().describe('What was wrong and what to do, in the language that was asked for'),
  code: z.string(),
  fields: z.record(z.string(), z.string()).optional().describe('What is wrong, by field'),
  detail: z
    .array(z.object({ loc: z.array(z.union([z.string(), z.int()])), msg: z.string(), type: z.string() }))
    .optional(),
});

function operationOf(row: Route): Json {
  const { summary, tag, access, params, query, body } = row;
  const parameters = [...parametersOf(params, 'path'), ...parametersOf(query, 'query')];
  return {
    summary,
    tags: [tag],
    ...(access !== 'anyone' && { security: [{ session: [] }] }),
    ...(roleNeeded(access) !== null && {
      description: `Needs the role ${roleNeeded(access)} or one above it.`,
    }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== null && {
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: jsonSchemaOf(body) },
          'application/x-www-form-urlencoded': { schema: jsonSchemaOf(body) },
        },
      },
    }),
    responses: { ...successOf(row), ...refusalsOf(row) },
  };
}

function parametersOf(fields: z.ZodObject, place: 'path' | 'query'): readonly Json[] {
  return Object.entries(fields.shape).map(([name, field]) => ({
    name,
    in: place,
    required: place === 'path' || !z.safeParse(field, undefined).success,
    schema: jsonSchemaOf(field),
  }));
}

const contentOf: Readonly<Record<Exclude<AnswerKind, 'action' | 'redirect'>, string>> = {
  page: 'text/html',
  json: 'application/json',
  csv: 'text/csv',
  file: 'application/octet-stream',
};

function successOf({ answers, result }: Route): Json {
  if (answers === 'redirect') return { 303: { description: 'Go on there' } };
  if (answers === 'action') {
    const fields = result instanceof z.ZodObject ? result.shape : {};
    const schema = jsonSchemaOf(z.object({ ok: z.literal(true), ...fields }));
    return {
      200: { description: 'It is done', content: { 'application/json': { schema } } },
      303: { description: 'It is done; to a form' },
    };
  }
  const schema = result === null ? { type: answers === 'json' ? 'object' : 'string' } : jsonSchemaOf(result);
  return { 200: { description: 'All is well', content: { [contentOf[answers]]: { schema } } } };
}

function refusalsOf({ access, body, params, query, method, fromElsewhere, refusals }: Route): Json {
  const hasFields = body !== null || [params, query].some(({ shape }) => Object.keys(shape).length > 0);
  const reasons: Record<number, string> = {
    ...(access !== 'anyone' && { 401: 'Nobody is signed in' }),
    ...((access !== 'anyone' || (method !== 'GET' && fromElsewhere !== true)) && {
      403: 'Not allowed: the role, the state of the account, or a page of another site',
    }),
    ...(body !== null && { 400: 'The body cannot be read', 413: 'The body is too large' }),
    ...(hasFields && { 422: 'A field is wrong' }),
    ...refusals,
  };
  return Object.fromEntries(
    Object.entries(reasons).map(([status, description]) => [
      status,
      {
        description,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' } } },
      },
    ]),
  );
}

function roleNeeded(access: Access): string | null {
  return access === 'anyone' || access === 'session' || access === 'member' ? null : access;
}

function jsonSchemaOf(schema: z.core.$ZodType): Json {
  const { $schema: _, ...bare } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return bare;
}
