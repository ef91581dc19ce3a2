/** Asks the account API of a started service as somebody, and reads what it answers. */
import { z } from 'zod';

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Null where there is no body. */
  readonly json: unknown;
}

export type AskApi = (path: string, init?: RequestInit & { readonly json?: unknown }) => Promise<ApiAnswer>;

export const basicOf = (email: string, password: string): string =>
  `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}`;

/** @param authorization null for nobody. */
export function askApiAs(url: string, authorization: string | null): AskApi {
  return async (path, { json, ...init } = {}) => {
    const headers = new Headers(init.headers);
    if (authorization !== null && !headers.has('authorization')) headers.set('authorization', authorization);
    if (json !== undefined && !headers.has('content-type')) headers.set('content-type', 'application/json');
    const body = json === undefined ? init.body : JSON.stringify(json);
    const answer = await fetch(`${url}${path}`, {
      ...init,
      headers,
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.text();
    const { status } = answer;
    return { status, headers: answer.headers, text, json: text === '' ? null : JSON.parse(text) };
  };
}

const row = z.record(z.string(), z.unknown());
const list = z.strictObject({
  meta: z.strictObject({ limit: z.int(), offset: z.int(), total_count: z.int() }),
  objects: z.array(row),
});
const errorTypes = [
  'validation',
  'notexist',
  'backend',
  'permission',
  'database',
  'concurrency',
  'billing',
  'payment',
] as const;
const errors = z
  .array(
    z.strictObject({
      error_point: z.string().nullable(),
      error_type: z.enum(errorTypes),
      error_message: z.string().min(1),
    }),
  )
  .min(1);

/** @throws ZodError for what is no envelope of a list. */
export const readApiList = ({ json }: ApiAnswer): z.infer<typeof list> => list.parse(json);
export const readApiObjects = ({ json }: ApiAnswer): readonly Readonly<Record<string, unknown>>[] =>
  z.object({ objects: z.array(row) }).parse(json).objects;

/** What is common to every refusal. @throws ZodError for what is none. */
export function readApiErrors(answer: ApiAnswer): z.infer<typeof errors> {
  if (!answer.headers.get('x-request-id')) throw new Error('a refusal has no request id');
  if (answer.headers.get('content-type') !== 'application/json; charset=utf-8')
    throw new Error('a refusal is not JSON');
  return errors.parse(answer.json);
}
