/** A form of a key that was refused: all that is wrong with it at once, and what the key could do by the part that is right. */
import type { Context } from 'hono';
import type { AppError } from '../../../base/errors.ts';
import { nameToSentence } from '../../field-sentences.ts';
import { sentenceFor } from '../../refusal.ts';
import { visitOf } from '../../visit.ts';
import { keyBody, lookAtKeyBody, type ReadingParts } from './key-fields.ts';

type SentForm = Readonly<Record<string, unknown>>;

/** By field. What the rules say of fields together is found only once each is right, so that they look at those that are. */
export function mistakesOf(
  context: Context,
  { form, error }: { readonly form: SentForm; readonly error: AppError },
  parts: ReadingParts,
): Readonly<Record<string, string>> {
  const { language } = visitOf(context);
  const others = lookAtRightPart(form, parts)?.issues ?? [];
  return Object.fromEntries([
    ...(error.fields.length === 0 ? [['all', sentenceFor(context, error)]] : []),
    ...others.map(({ loc, msg }) => [String(loc[1] ?? ''), nameToSentence(language, msg)]),
    ...error.fields.map(({ loc, msg }) => [String(loc[1] ?? ''), msg]),
  ]);
}

/** Of the fields that each by itself can be; undefined where the form is none of a key. */
export function lookAtRightPart(
  form: SentForm,
  parts: ReadingParts,
): ReturnType<typeof lookAtKeyBody> | undefined {
  const schema = keyBody.partial();
  const whole = schema.safeParse(form);
  if (whole.success) return lookAtKeyBody(whole.data, parts);
  const wrong = new Set(whole.error.issues.map(({ path }) => path[0]));
  const rest = schema.safeParse(
    Object.fromEntries(Object.entries(form).filter(([name]) => !wrong.has(name))),
  );
  return rest.success ? lookAtKeyBody(rest.data, parts) : undefined;
}
