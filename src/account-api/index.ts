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

export function createAccountApi({ ids }: { readonly ids: Ids }): Hono {
  const api = new Hono();
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
