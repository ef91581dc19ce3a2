/** Agreeing to a new version of the terms, without which nothing else is shown. */
import { z } from 'zod';
import { AppError } from '../../base/errors.ts';
import { onlyOf } from '../../base/scope.ts';
import { acceptLegal, findLastAcceptance, mustAccept, transact } from '../../identity/index.ts';
import { done } from '../done.ts';
import { accountsWords } from '../languages/accounts/index.ts';
import { pathHere } from '../path-here.ts';
import { type Asked, type Route, route } from '../route.ts';
import { Button, PostButton } from '../ui/button.tsx';
import { figuresIn } from '../ui/figures.ts';
import { visitOf, wordsFor } from '../visit.ts';
import { nextField } from './fields.ts';
import { showFormPage } from './form-page.tsx';
import { LegalLinks } from './legal-links.tsx';

const acceptQuery = z.object({ next: nextField });
const acceptBody = z.object({
  version: z
    .string()
    .max(50)
    .optional()
    .describe('The version that was read; the current one when not given'),
  next: nextField,
});

export const legalAcceptanceRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/legal/accept',
    summary: 'Where somebody lands who has not accepted the current terms',
    tag: 'Signing in',
    access: 'session',
    answers: 'page',
    query: acceptQuery,
    handle: showAccept,
  }),
  route({
    method: 'POST',
    path: '/api/legal/accept',
    summary: 'Accept the current version of the terms',
    tag: 'Signing in',
    access: 'session',
    answers: 'action',
    page: '/legal/accept',
    body: acceptBody,
    result: z.object({ version: z.string() }),
    refusals: { 409: 'The version is not the current one' },
    handle: accept,
  }),
  route({
    method: 'GET',
    path: '/api/legal/status',
    summary: 'Whether the current version of the terms is accepted',
    tag: 'Signing in',
    access: 'session',
    answers: 'json',
    result: z.object({
      ok: z.literal(true),
      accepted: z.boolean().describe('Whether nothing has to be accepted'),
      current_version: z.string(),
      accepted_version: z.string().nullable().describe('The one that was accepted last'),
      accepted_at: z.iso.datetime().nullable(),
    }),
    handle: tellStatus,
  }),
];

async function showAccept({
  context,
  services,
  session: { user },
  query,
}: Asked<'session', { query: typeof acceptQuery }>): Promise<Response> {
  const {
    storage,
    legal: { version: legalVersion },
  } = services;
  const next = pathHere(query.next, '/dashboard');
  if (!(await mustAccept(storage.db, user, legalVersion))) return context.redirect(next, 303);
  const isFirst = (await findLastAcceptance(onlyOf(user.id), storage.db)) === undefined;
  const { legal } = wordsFor(context, accountsWords);
  const { day } = figuresIn(visitOf(context).language);
  return showFormPage(context, {
    title: isFirst ? legal.first : legal.title,
    content: (
      <>
        <p>
          <LegalLinks say={legal.text} />
        </p>
        <p class="small">{legal.version(day(new Date(`${legalVersion}T00:00:00Z`)))}</p>
        <div class="row">
          <form class="post" method="post" action="/api/legal/accept">
            <input type="hidden" name="version" value={legalVersion} />
            <input type="hidden" name="next" value={next} />
            <Button look="primary">{legal.action}</Button>
          </form>
          <PostButton to="/logout" look="ghost">
            {legal.signOut}
          </PostButton>
        </div>
      </>
    ),
  });
}

async function accept({
  context,
  services,
  session: { user },
  body,
}: Asked<'session', { body: typeof acceptBody }>): Promise<Response> {
  const { version: legalVersion } = services.legal;
  const { version = legalVersion } = body;
  if (version !== legalVersion) {
    throw new AppError({
      code: 'conflict',
      public: `The current version is ${legalVersion}. Read it and accept it.`,
    });
  }
  await transact(services, (work) => acceptLegal(onlyOf(user.id), work, version));
  return done(context, {
    to: pathHere(body.next, '/dashboard'),
    message: wordsFor(context, accountsWords).legal.done,
    result: { version },
  });
}

async function tellStatus({ context, services, session: { user } }: Asked<'session'>): Promise<Response> {
  const {
    storage,
    legal: { version: legalVersion },
  } = services;
  const last = await findLastAcceptance(onlyOf(user.id), storage.db);
  return context.json({
    ok: true,
    accepted: !(await mustAccept(storage.db, user, legalVersion)),
    current_version: legalVersion,
    accepted_version: last?.version ?? null,
    accepted_at: last?.acceptedAt.toISOString() ?? null,
  });
}
