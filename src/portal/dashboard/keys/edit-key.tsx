/** Changing a key: its form, and what a program sends. */
import { z } from 'zod';
import { AppError } from '../../../base/errors.ts';
import { type ApiKey, changeKey, transact } from '../../../identity/index.ts';
import { done } from '../../done.ts';
import { keysWords } from '../../languages/keys/index.ts';
import { type Asked, type RefusedForm, type Route, route } from '../../route.ts';
import { speechIn } from '../../ui/speech.tsx';
import { visitOf, wordsFor } from '../../visit.ts';
import { drawKeyForm } from './draw-key-form.tsx';
import { inFormsWords, type KeyBody, keyBody, readingParts, readKeyBody } from './key-fields.ts';
import { differencesOf, type FormValues, textOf, valuesOfForm, valuesOfKey } from './key-values.ts';
import { writeBudgets } from './new-key.tsx';
import { lookAtRightPart, mistakesOf } from './right-part.ts';
import {
  budgetsOfKey,
  keyParams,
  keyPath,
  keyRefusals,
  keyResult,
  keysPath,
  keysTag,
  requireTheKey,
  tellKey,
} from './the-key.ts';

const editBody = keyBody.extend({
  revision: z
    .preprocess(
      (given) => (typeof given === 'string' && /^\d{1,9}$/.test(given) ? Number(given) : given),
      z.int(),
    )
    .optional()
    .describe(
      'The revision that was changed; 409 when there is a newer one. Left out, the change is made anyhow',
    ),
});

export const editKeyRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/dashboard/keys/{key_id}/edit',
    summary: 'The form that changes a key',
    tag: keysTag,
    access: 'member',
    answers: 'page',
    params: keyParams,
    refusals: keyRefusals,
    handle: showEdit,
  }),
  route({
    method: 'POST',
    path: '/dashboard/keys/{key_id}',
    summary: 'Change what is given of a key',
    tag: keysTag,
    access: 'member',
    answers: 'action',
    page: keysPath,
    params: keyParams,
    body: editBody,
    result: z.object({ key: keyResult }),
    refusals: {
      403: 'The key is of somebody with a higher role',
      ...keyRefusals,
      409: 'Somebody else changed it meanwhile, the configuration file declares it, or it is revoked',
    },
    redraw: redrawEdit,
    handle: saveKey,
  }),
];

async function showEdit(asked: Asked<'member', { params: typeof keyParams }>): Promise<Response> {
  const { services, scope, params } = asked;
  const key = await requireTheKey(scope, services, params.key_id);
  const values = valuesOfKey(key, await budgetsOfKey(services, key.id));
  return await drawKeyForm(asked, { key, values, issues: {} });
}

/** Whoever was overtaken sees what the key is now beside what they wrote, and may save that over it. */
async function redrawEdit({ form, error, ...asked }: RefusedForm): Promise<Response> {
  const { context, services, scope } = asked;
  const key = await requireTheKey(scope, services, Number(context.req.param('key_id')));
  const sent = valuesOfForm(form);
  const values = { ...valuesOfKey(key, await budgetsOfKey(services, key.id)), ...sent };
  if (error.code !== 'conflict') {
    const issues = mistakesOf(context, { form, error }, readingParts(services, key));
    // What somebody else saved meanwhile is not overwritten by mending a mistake.
    const seen = textOf(sent, 'revision');
    const madeFrom = /^\d{1,9}$/.test(seen) ? { revision: Number(seen) } : {};
    return await drawKeyForm(asked, { key, values, issues, ...madeFrom });
  }
  const isOvertaken = textOf(sent, 'revision') !== String(key.revision);
  const issues = isOvertaken ? await sayDifferences(asked, key, sent) : { all: error.message };
  return await drawKeyForm(asked, { key, values, issues, isOvertaken });
}

async function sayDifferences(
  { context, services }: Pick<RefusedForm, 'context' | 'services'>,
  key: ApiKey,
  sent: FormValues,
): Promise<Readonly<Record<string, string>>> {
  const { form } = wordsFor(context, keysWords);
  const { figures } = speechIn(visitOf(context).language);
  const now = valuesOfKey(key, await budgetsOfKey(services, key.id));
  const differences = Object.entries(differencesOf(now, sent));
  const end = lookAtRightPart(sent, readingParts(services, key))?.asked.fields.expiresAt;
  const isOtherEnd = end !== undefined && end?.getTime() !== key.expiresAt?.getTime();
  const endNow = key.expiresAt === null ? form.expiry.never : figures.moment(key.expiresAt);
  return Object.fromEntries([
    ...differences.map(([name, value]) => [name, form.isNow(value === '' ? form.nothing : value)]),
    ...(isOtherEnd ? [['expires', form.isNow(endNow)]] : []),
  ]);
}

async function saveKey({
  context,
  services,
  session,
  scope,
  params: { key_id: keyId },
  body: { revision: given, ...body },
}: Asked<'member', { params: typeof keyParams; body: typeof editBody }>): Promise<Response> {
  const revision = given ?? null;
  const known = await requireTheKey(scope, services, keyId);
  const { fields, place, budgets } = readKeyBody(body, readingParts(services, known));
  try {
    const { key } = await inFormsWords(() =>
      transact(services, async (work) => {
        const changed = await changeKey(scope, work, { actor: session.user, keyId, revision, fields, place });
        await writeBudgets(work, keyId, budgets);
        return changed;
      }),
    );
    const message = wordsFor(context, keysWords).done.changed;
    return done(context, { to: keyPath(keyId), message, result: { key: tellKey(key) } });
  } catch (error) {
    throw await withDifferences(error, { context, services, keyId, scope, body });
  }
}

/** A program that was overtaken is told what the fields that it sent are now. */
async function withDifferences(
  error: unknown,
  asked: Pick<RefusedForm, 'context' | 'services' | 'scope'> & { keyId: number; body: KeyBody },
): Promise<unknown> {
  if (!(error instanceof AppError) || error.param !== 'revision') return error;
  const key = await requireTheKey(asked.scope, asked.services, asked.keyId);
  const { form } = wordsFor(asked.context, keysWords);
  const said = {
    revision: form.isNow(String(key.revision)),
    ...(await sayDifferences(asked, key, valuesOfBody(asked.body))),
  };
  return new AppError({
    code: error.code,
    public: error.message,
    cause: error,
    fields: Object.entries(said).map(([name, msg]) => ({ loc: ['body', name], msg, type: 'changed' })),
  });
}

/** What was sent, as a form would hold it. */
function valuesOfBody(body: KeyBody): FormValues {
  const values = new Map<string, string | readonly string[]>();
  for (const [name, value] of Object.entries(body)) {
    if (value === null && ['models', 'providers', 'regions', 'data_regions', 'quantizations'].includes(name))
      values.set(`${name}_from`, 'any');
    else if (name === 'rescue') values.set(name, value === null ? 'model' : value === true ? 'on' : 'off');
    else if (name === 'data_collection') values.set(name, value === 'deny' ? 'on' : 'off');
    else if (typeof value === 'boolean') values.set(name, value ? 'on' : 'off');
    else if (value === null || typeof value === 'number')
      values.set(name, value === null ? '' : String(value));
    else if (typeof value === 'string' || Array.isArray(value)) values.set(name, value);
  }
  return Object.fromEntries(values);
}
