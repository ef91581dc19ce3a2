/** What a request to the portal holds, read within bounds and checked by the schemas of its route. */
import type { Context } from 'hono';
import type { z } from 'zod';
import { AppError, type FieldIssue } from '../base/errors.ts';
import { typeOfIssue } from '../base/field-check.ts';
import { readRequestText } from '../base/request-text.ts';
import { fieldErrors, nameToSentence } from './field-sentences.ts';
import type { PortalServices } from './services.ts';
import { visitOf } from './visit.ts';

/** More wrong fields than a person can look at are only counted. */
const mostIssues = 20;

/** @throws AppError `validation_failed`, in the reader's language. */
export function readFields<Schema extends z.ZodType>(
  context: Context,
  place: 'path' | 'query' | 'body',
  schema: Schema,
  given: unknown,
): z.output<Schema> {
  const { language } = visitOf(context);
  const result = schema.safeParse(given, { error: fieldErrors(language, schema) });
  if (result.success) return result.data;
  const { issues } = result.error;
  throw invalidFields(
    issues.slice(0, mostIssues).map((issue) => ({
      loc: [place, ...issue.path.map((step) => (typeof step === 'number' ? step : String(step)))],
      msg: nameToSentence(language, issue.message),
      type: typeOfIssue(issue),
    })),
  );
}

/** One error for all of them; `param` is named where only one is wrong. */
function invalidFields(fields: readonly FieldIssue[]): AppError {
  const [only, ...others] = fields;
  return new AppError({
    code: 'validation_failed',
    public: fields.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; '),
    ...(only !== undefined && others.length === 0 && { param: only.loc.slice(1).join('.') }),
    fields,
  });
}

/**
 * JSON or a form, as a value that a schema can check. A form's fields are texts; one that is there twice is a list.
 * @throws AppError `body_too_large`, `unsupported_content_type`, `malformed_json`, `request_timeout` when it comes too
 * slowly, `server_busy` where there is no room for it, `malformed_request` when it breaks off.
 */
export async function readBody(
  context: Context,
  services: Pick<PortalServices, 'bodies' | 'deadlines'>,
  mostBytes: number,
): Promise<unknown> {
  const { req } = context;
  const type = req.header('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  const isForm = type === 'application/x-www-form-urlencoded';
  if (!isForm && type !== 'application/json' && type !== '') {
    throw new AppError({
      code: 'unsupported_content_type',
      public: `Send application/json or a form, not ${type.slice(0, 100)}.`,
    });
  }
  const text = await readRequestText(req.raw, services, { maxBytes: mostBytes });
  if (isForm) {
    const form = readForm(text);
    context.set('form', form);
    return form;
  }
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError({ code: 'malformed_json', public: 'The body is not valid JSON.', cause });
  }
}

/** In one pass, because looking a name up in a form goes through all of it. @internal The test of growth reads one. */
export function readForm(text: string): Record<string, unknown> {
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const before = fields.get(name);
    if (before === undefined) fields.set(name, value);
    else if (Array.isArray(before)) before.push(value);
    else fields.set(name, [before, value]);
  }
  return Object.fromEntries(fields);
}
