/** `/dashboard/keys/new`: the form of a new key, filled from another where one is duplicated, and making it. */
import { z } from 'zod';
import { findUserByEmail, groupOfKey, makeKey, take, transact } from '../../../identity/index.ts';
import { budgetPeriods, giveDefaultBudgets, removeBudget, setBudget } from '../../../ledger/index.ts';
import { done } from '../../done.ts';
import { keysWords } from '../../languages/keys/index.ts';
import { wantsPage } from '../../refusal.ts';
import { type Asked, idField, type RefusedForm, type Route, route } from '../../route.ts';
import { speechIn } from '../../ui/speech.tsx';
import { visitOf, wordsFor } from '../../visit.ts';
import { budgetsOf, powersOf, sayWhatKeyCanDo } from './can-do.ts';
import { drawKeyForm } from './draw-key-form.tsx';
import {
  type Budgets,
  inFormsWords,
  keyBody,
  lockableOf,
  newKeyBody,
  readingParts,
  readKeyBody,
} from './key-fields.ts';
import { keepToken } from './key-token.tsx';
import { freshValues, valuesOfForm, valuesOfKey } from './key-values.ts';
import { mistakesOf } from './right-part.ts';
import { budgetsOfKey, keyPath, keyResult, keysPath, keysTag, requireTheKey, tellKey } from './the-key.ts';

const path = `${keysPath}/new`;
const newKeyQuery = z.object({
  from: idField.optional().describe('The key whose fields the form begins with'),
});
const previewBody = newKeyBody.partial().extend({
  // It is asked for while the form is filled in, which a name is that is not there yet.
  name: z.string().max(1000).optional(),
  ends_now: keyBody.shape.expires_at.describe('When the key ends that `expires` is to keep'),
});

export const newKeyRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path,
    summary: 'The form of a new key',
    tag: keysTag,
    access: 'member',
    answers: 'page',
    query: newKeyQuery,
    refusals: { 404: 'There is no key to begin with' },
    handle: showNewKey,
  }),
  route({
    method: 'POST',
    path,
    summary: 'Create a key; its token is told once',
    tag: keysTag,
    access: 'member',
    answers: 'action',
    page: path,
    body: newKeyBody,
    result: z.object({ key: keyResult, token: z.string() }),
    refusals: { 403: 'The key would be of somebody with a higher role' },
    redraw: redrawNewKey,
    handle: createKey,
  }),
  route({
    method: 'POST',
    path: `${keysPath}/preview`,
    summary: 'What a key with these fields could do, in sentences; nothing is made',
    tag: keysTag,
    access: 'member',
    answers: 'action',
    page: path,
    body: previewBody,
    result: z.object({ sentences: z.array(z.string()) }),
    handle: preview,
  }),
];

async function showNewKey(asked: Asked<'member', { query: typeof newKeyQuery }>): Promise<Response> {
  const { services, session, scope, query } = asked;
  if (query.from === undefined) {
    return await drawKeyForm(asked, { key: null, values: freshValues(session.user.email), issues: {} });
  }
  const other = await requireTheKey(scope, services, query.from);
  const values = valuesOfKey(other, await budgetsOfKey(services, other.id));
  // An expiry that is over cannot be set again.
  const isOver = other.expiresAt !== null && other.expiresAt.getTime() <= services.clock.nowMs();
  const expires =
    other.expiresAt === null || isOver
      ? { expires: 'never' }
      : { expires: 'date', expires_on: new Date(other.expiresAt.getTime() - 1).toISOString().slice(0, 10) };
  return await drawKeyForm(asked, { key: null, values: { ...values, ...expires }, issues: {} });
}

async function redrawNewKey({ form, error, ...asked }: RefusedForm): Promise<Response> {
  const { context, services } = asked;
  const issues = mistakesOf(context, { form, error }, readingParts(services, null));
  return await drawKeyForm(asked, { key: null, values: valuesOfForm(form), issues });
}

async function createKey({
  context,
  services,
  session,
  scope,
  body,
}: Asked<'member', { body: typeof newKeyBody }>): Promise<Response> {
  const { storage, tokenPrefix } = services;
  const asked = readKeyBody(body, readingParts(services, null));
  const ownerId = await ownerOf(body.owner ?? session.user.email, { storage, own: session.user });
  const { departmentId = null, projectId = null } = asked.place ?? {};
  await take(services, 'keys of account', String(session.user.id));
  const made = await inFormsWords(() =>
    transact(services, async (work) => {
      const fields = { ...asked.fields, name: body.name, ownerId };
      const created = await makeKey(scope, work, {
        ...{ actor: session.user, tokenPrefix, fields, departmentId, projectId },
      });
      const { id } = created.key;
      await writeBudgets(work, id, asked.budgets);
      // Of the periods that nothing was asked for.
      await giveDefaultBudgets(work, { kind: 'key', id }, await groupOfKey(work.executor, id));
      return created;
    }),
  );
  const { key, token } = made;
  if (wantsPage(context.req.raw)) {
    await keepToken(context, services, { keyId: key.id, userId: session.user.id, token });
  }
  return done(context, { to: `${keyPath(key.id)}/token`, result: { key: tellKey(key), token } });
}

/** Nobody, where there is no such account: which the rule refuses like one of outside. */
async function ownerOf(
  email: string,
  {
    storage,
    own,
  }: { storage: Asked['services']['storage']; own: { readonly id: number; readonly email: string } },
): Promise<number> {
  if (email === own.email) return own.id;
  return (await findUserByEmail(storage.db, email))?.id ?? 0;
}

export async function writeBudgets(
  work: Parameters<typeof setBudget>[0],
  keyId: number,
  budgets: Budgets,
): Promise<void> {
  const subject = { kind: 'key', id: keyId } as const;
  for (const period of budgetPeriods) {
    const limitNanoUsd = budgets[period];
    if (limitNanoUsd === undefined) continue;
    if (limitNanoUsd === null) await removeBudget(work, { subject, period });
    else await setBudget(work, { subject, period, limitNanoUsd, managedBy: null });
  }
}

/** What is not sent is as in a new key. */
function preview({ context, services, body }: Asked<'member', { body: typeof previewBody }>): Response {
  const lockable = lockableOf(services.catalogue.current());
  const kept = body.expires === 'keep' ? { expires_at: body.expires_at ?? body.ends_now } : {};
  const asked = readKeyBody(
    { ...body, ...kept },
    {
      ...{ lockable: { ...lockable, ...namedIn(body) }, nowMs: services.clock.nowMs(), known: null },
    },
  );
  const saying = {
    words: wordsFor(context, keysWords),
    figures: speechIn(visitOf(context).language).figures,
  };
  return done(context, {
    to: path,
    result: { sentences: sayWhatKeyCanDo(powersOf(asked), budgetsOf(asked), saying) },
  });
}

/** A lock may name what is not offered any more. */
const namedIn = ({ models, providers, regions, data_regions }: z.output<typeof previewBody>) => ({
  ...(models == null ? {} : { models }),
  ...(providers == null ? {} : { providers }),
  ...(regions == null ? {} : { regions }),
  ...(data_regions == null ? {} : { data_regions }),
});
