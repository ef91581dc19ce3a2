/** The account API 2.0, under /api/2.0/. It has no resource yet; what is asked of it is refused in its own form. */
import { type Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Ids } from '../base/ids.ts';

/** Every error of this API is an array of these, whatever its status. */
interface ApiError {
  /** The field at fault; null where none is. */
  readonly error_point: string | null;
  readonly error_type: 'notexist';
  readonly error_message: string;
}

/** What there is of it: how it refuses. */
export const accountDescription = {
  openapi: '3.1.0',
  info: {
    title: 'Sluice account API',
    version: '2.0',
    description:
      'It has no resource yet. Whatever is asked under `/api/2.0/` is answered with 404 and an array of errors.',
  },
  servers: [{ url: '/' }],
  paths: {},
  components: {
    schemas: {
      Errors: {
        type: 'array',
        items: {
          type: 'object',
          required: ['error_point', 'error_type', 'error_message'],
          properties: {
            error_point: { type: ['string', 'null'], description: 'The field at fault' },
            error_type: { type: 'string', enum: ['notexist'] },
            error_message: { type: 'string' },
          },
        },
      },
    },
  },
};
const described = { 'cache-control': 'public, max-age=300', 'x-content-type-options': 'nosniff' };

export function createAccountApi({ ids }: { readonly ids: Ids }): Hono {
  const api = new Hono();
  api.get('/openapi/account.json', (context) => context.json(accountDescription, 200, described));
  api.all('/api/2.0', (context) => refuseUnknown(context, ids));
  api.all('/api/2.0/*', (context) => refuseUnknown(context, ids));
  return api;
}

function refuseUnknown(context: Context, ids: Ids): Response {
  const path = context.req.path.slice(0, 200);
  return refuse(context, ids, {
    status: 404,
    error: { error_point: null, error_type: 'notexist', error_message: `There is nothing at ${path}.` },
  });
}

function refuse(
  context: Context,
  ids: Ids,
  { status, error }: { status: ContentfulStatusCode; error: ApiError },
): Response {
  return context.json([error], status, {
    'x-request-id': ids.requestId(),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
}
