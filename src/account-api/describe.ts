/** The account API's machine-readable description (OpenAPI 3.1.0), made of its resources and the schemas that check. */
import { z } from 'zod';
import { defaultLimit } from './list.ts';
import { errorTypes } from './refuse.ts';
import type { Action, ActionMethod, Fields, Json, Resource } from './resource.ts';

export function describeResources(resources: readonly Resource[]) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sluice account API',
      version: '2.0',
      description:
        'What an account has here: whom it has told of what, and its own servers. Ask by Basic authentication with an e-mail address and a password, by the session of the portal, or with an API key that has the scope `read` (to look) or `account` (to change). Every error is an array. All lists have `offset`, `limit` and filters.',
    },
    servers: [{ url: '/' }],
    security: [{ basic: [] }, { bearer: [] }, { session: [] }],
    tags: resources.map(({ summary }) => ({ name: summary })),
    paths: Object.fromEntries(resources.flatMap(pathsOf)),
    components: {
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic', description: 'E-mail address and password' },
        // The gateway and the portal have these, too, and in the description of all each stands once.
        bearer: { type: 'http', scheme: 'bearer', description: 'An API token' },
        session: {
          ...{ type: 'apiKey', in: 'cookie', name: '__Host-sluice' },
          description: 'The session of a person who signed in. On plain http it is named `sluice`.',
        },
      },
      schemas: {
        ...Object.fromEntries(resources.map(({ title, fields }) => [title, objectOf(fields)])),
        Meta: metaSchema,
        Errors: errorsSchema,
      },
    },
  };
}

function pathsOf(resource: Resource): readonly (readonly [string, Json])[] {
  const { name, summary, find, actions, actionsOnOne } = resource;
  const base = `/api/2.0/${name}/`;
  const one = referTo(resource);
  const uuid = { name: 'uuid', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } };
  const list = {
    type: 'object',
    required: ['meta', 'objects'],
    properties: { meta: { $ref: '#/components/schemas/Meta' }, objects: { type: 'array', items: one } },
  };
  const reading = {
    get: readingOf(resource, {
      summary: `List: ${summary}`,
      schema: list,
      parameters: listParameters(resource),
    }),
  };
  return [
    [base, { ...reading, ...actionsOf(resource, actions, []) }],
    ...(find === null
      ? []
      : [
          [
            `${base}{uuid}/`,
            {
              get: readingOf(resource, { summary: 'Show one', schema: one, parameters: [uuid] }),
              ...actionsOf(resource, actionsOnOne, [uuid]),
            },
          ] as const,
        ]),
    [
      `${base}schema/`,
      {
        get: readingOf(resource, {
          summary: 'What fields and methods there are',
          schema: { type: 'object' },
          parameters: [],
        }),
      },
    ],
  ];
}

const referTo = ({ title }: Resource): Json => ({ $ref: `#/components/schemas/${title}` });

interface Reading {
  readonly summary: string;
  readonly schema: Json;
  readonly parameters: readonly Json[];
}

function readingOf({ summary: tag, find }: Resource, { summary, schema, parameters }: Reading): Json {
  const isOfOne = parameters.some((one) => one['in'] === 'path');
  const refusals = {
    ...(parameters.length > 0 && !isOfOne && { 400: 'A parameter is wrong' }),
    ...(find !== null && isOfOne && notThere),
  };
  return {
    summary,
    tags: [tag],
    ...(parameters.length > 0 && { parameters }),
    responses: { 200: { description: 'All is well', content: json(schema) }, ...refusalsOf(refusals) },
  };
}

function actionsOf(
  resource: Resource,
  actions: Readonly<Partial<Record<ActionMethod, Action>>>,
  parameters: readonly Json[],
): Json {
  return Object.fromEntries(
    Object.entries(actions).map(([method, action]) => {
      const { summary, status, body, bodyShape = body, example } = action;
      const answer = answerOf(resource, action);
      const success = {
        description: status === 201 ? 'It is made' : status === 202 ? 'It is applied' : 'It is done',
        ...(status === 201 && {
          headers: { location: { description: 'Where it is', schema: { type: 'string' } } },
        }),
        ...(answer !== null && { content: json(answer) }),
      };
      return [
        method.toLowerCase(),
        {
          summary,
          tags: [resource.summary],
          ...(parameters.length > 0 && { parameters }),
          ...(bodyShape !== null && {
            requestBody: {
              required: true,
              content: {
                'application/json': {
                  schema: jsonSchemaOf(bodyShape),
                  ...(example !== undefined && { example }),
                },
              },
            },
          }),
          responses: {
            [status]: success,
            ...refusalsOf({
              ...(body !== null && {
                400: 'The body is wrong',
                408: 'The body came too slowly',
                413: 'The body is too large',
                415: 'The body is not JSON',
              }),
              ...(parameters.length > 0 && notThere),
              ...(status === 201 && { 409: 'The account has as many of them as it may have' }),
            }),
          },
        },
      ];
    }),
  );
}

function answerOf(resource: Resource, { answers, furtherFields }: Action): Json | null {
  if (answers === 'nothing') return null;
  if (answers === 'objects') {
    const objects = { type: 'array', items: referTo(resource) };
    return { type: 'object', required: ['objects'], properties: { objects } };
  }
  if (furtherFields === undefined) return referTo(resource);
  return objectOf({ ...resource.fields, ...furtherFields });
}

function listParameters({ list }: Resource): readonly Json[] {
  const count = (name: string, description: string, fallback: number): Json => ({
    ...{ name, in: 'query', required: false, description },
    schema: { type: 'integer', minimum: 0, default: fallback },
  });
  return [
    count('offset', 'Of the first object, from zero', 0),
    count('limit', 'How many objects at most; 0 for all', defaultLimit),
    ...list.filters.flatMap((name) => [
      filter(name, `Only objects whose \`${name}\` is this; commas part several, a backslash escapes`),
      filter(`${name}__contains`, `Only objects whose \`${name}\` contains this`),
    ]),
  ];
}

const filter = (name: string, description: string): Json => ({
  ...{ name, in: 'query', required: false, description, schema: { type: 'string' } },
});

const notThere = { 404: 'There is none with this uuid in the account' };

const always: Readonly<Record<number, string>> = {
  401: 'Nobody is known by what the request shows',
  403: 'Not allowed: the scope of the key, the state of the account, or a rule',
  406: 'Another content type was asked for',
  429: 'Too many requests, or too many wrong passwords',
  500: 'Something failed here, which is not the fault of who asks',
  503: 'The database is away, or the process is stopping; it passes',
};

const refusalsOf = (reasons: Readonly<Record<number, string>>): Json =>
  Object.fromEntries(
    Object.entries({ ...always, ...reasons }).map(([status, description]) => [
      status,
      { description, content: json({ $ref: '#/components/schemas/Errors' }) },
    ]),
  );

const json = (schema: Json): Json => ({ 'application/json': { schema } });

function objectOf(fields: Fields): Json {
  return {
    type: 'object',
    required: Object.keys(fields),
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, { type, isNullable, isReadOnly, help, values, properties }]) => [
        name,
        {
          ...(properties !== undefined && objectOf(properties)),
          type: isNullable === true ? [type, 'null'] : type,
          description: help,
          ...(values !== undefined && { enum: values }),
          ...(isReadOnly === true && { readOnly: true }),
        },
      ]),
    ),
  };
}

const count = (description: string): Json => ({ type: 'integer', minimum: 0, description });
const metaSchema = {
  type: 'object',
  required: ['limit', 'offset', 'total_count'],
  properties: {
    limit: count('Applied; 0 is all'),
    offset: count('Of the first object, from zero'),
    total_count: count('Of all objects that fit'),
  },
};

const errorsSchema = {
  type: 'array',
  items: {
    type: 'object',
    required: ['error_point', 'error_type', 'error_message'],
    properties: {
      error_point: { type: ['string', 'null'], description: 'The field at fault' },
      error_type: { type: 'string', enum: errorTypes },
      error_message: { type: 'string' },
    },
  },
};

function jsonSchemaOf(schema: z.ZodType): Json {
  const { $schema: _, ...bare } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return bare;
}
