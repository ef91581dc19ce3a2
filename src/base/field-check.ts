/** Checks the fields of a write and says in the one error of this service which of them are wrong. */
import { z } from 'zod';
import { AppError, type FieldIssue } from './errors.ts';

/**
 * A name that somebody gives: one line. A database takes no NUL in a text and writes another character for half of a
 * surrogate pair, and a mail takes no line break in a subject.
 */
export const nameField = z
  .string()
  .trim()
  .max(100, 'must have at most 100 characters')
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must have no control characters and no halves of surrogate pairs');

/** An e-mail address by the rule of HTML forms, which knows no line breaks, lists or comments. */
export const addressField = z
  .string()
  .trim()
  .max(254, 'must have at most 254 characters')
  .regex(z.regexes.html5Email, 'must be an e-mail address');

/** @throws AppError `validation_failed` with one entry for each wrong field. */
export function checkFields<Schema extends z.ZodType>(
  schema: Schema,
  values: z.input<Schema>,
): z.output<Schema> {
  const result = schema.safeParse(values);
  if (result.success) return result.data;
  throw fieldError(
    result.error.issues.map((issue) => ({
      loc: issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step)),
      msg: issue.message,
      type: typeOfIssue(issue),
    })),
  );
}

/** A rule of ours names its kind in `params.type`; the checker's own have a code. */
export function typeOfIssue(issue: z.core.$ZodIssue): string {
  const named: unknown = issue.code === 'custom' ? issue.params?.['type'] : undefined;
  return typeof named === 'string' ? named : issue.code;
}

export function fieldError(fields: readonly FieldIssue[]): AppError {
  const [only, ...others] = fields;
  return new AppError({
    code: 'validation_failed',
    public: fields.map((field) => `${field.loc.join('.')} ${field.msg}`).join('; '),
    ...(only !== undefined && others.length === 0 && { param: only.loc.join('.') }),
    fields,
  });
}
