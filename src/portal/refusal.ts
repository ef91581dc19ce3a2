/** How the portal says no: JSON to a program, a message on the page that they came from to a form, a page to a browser. */
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { AppError, asAppError, type ErrorCode } from '../base/errors.ts';
import { mustAccept, type Session, scopeOf } from '../identity/index.ts';
import { keepForm } from './kept-form.ts';
import { errorsWords } from './languages/errors/index.ts';
import { interfaceWords } from './languages/interface/index.ts';
import { noticesWords } from './languages/notices/index.ts';
import type { Route } from './route.ts';
import type { PortalServices } from './services.ts';
import { findSignedIn } from './session-cookie.ts';
import { type Destination, destinationsOf, isCurrent } from './ui/navigation.ts';
import { type Notice, showNotice } from './ui/notice.tsx';
import type { Viewer } from './ui/page.ts';
import { leaveMessage } from './ui/toast.tsx';
import { viewerOf } from './viewer.ts';
import { speakLanguageOf, visitOf, wordsFor } from './visit.ts';

export interface Refused {
  /** Null where the address has no such method. */
  readonly row: Route | null;
  readonly session: Session | null;
  readonly services: PortalServices;
}

/** Where a page sends whoever has to do something else first. */
const wayOut: Partial<Record<ErrorCode, string>> = {
  email_unverified: '/verify-email',
  account_suspended: '/account/suspended',
  account_archived: '/account/archived',
};

export async function refuse(context: Context, thrown: AppError, refused: Refused): Promise<Response> {
  const error = inReadersWords(context, thrown);
  tellLog(context, error, refused);
  if (error.retryAfterSeconds !== undefined) {
    context.header('retry-after', String(error.retryAfterSeconds));
  } else if (error.code === 'database_unavailable') {
    context.header('retry-after', '5');
  }
  if (!wantsPage(context.req.raw)) return refuseProgram(context, error);
  const { row, session } = refused;
  // Whoever that page belongs to gets nothing out of its visitor, not even a message.
  if (error.code === 'cross_site') return refusePage(context, error, null);
  if (error.code === 'not_signed_in') return context.redirect(withWayBack(context, '/login'), 303);
  if (error.code === 'terms_not_accepted')
    return context.redirect(withWayBack(context, '/legal/accept'), 303);
  const way = wayOut[error.code];
  if (way !== undefined) return context.redirect(way, 303);
  const redrawn = await redraw(context, error, refused);
  if (redrawn !== undefined) return redrawn;
  // Whoever sent a form sees it again, with what was wrong and what they had written.
  if (row !== null && row.method !== 'GET') {
    leaveMessage(context, { tone: 'bad', text: sentenceFor(context, error) });
    keepForm(context, error);
    const page =
      typeof row.page === 'function' ? row.page(context.get('form') ?? {}, context.req.param()) : row.page;
    return context.redirect(page ?? (session === null ? '/login' : '/dashboard'), 303);
  }
  const place = await findPlace(context, error, refused);
  if (error.code === 'validation_failed' && row !== null) return refuseAddress(context, error, place);
  return refusePage(context, error, place);
}

/** After which the same form can be sent again, changed or later. */
const mendable: readonly ErrorCode[] = ['validation_failed', 'conflict', 'not_allowed', 'rate_limited'];

async function redraw(context: Context, error: AppError, refused: Refused): Promise<Response | undefined> {
  const { row, session, services } = refused;
  const form = context.get('form');
  if (row?.redraw === undefined || session === null || form === undefined) return undefined;
  if (!mendable.includes(error.code)) return undefined;
  // What they may see is known as it was before the change.
  if (error.reason === 'changed_meanwhile') return undefined;
  const scope = scopeOf(session.user, session.view);
  try {
    context.status(statusOf(error));
    return await row.redraw({ context, services, session, scope, error, form });
  } catch (thrown) {
    const failure = asAppError(thrown);
    return await refusePage(context, failure, await findPlace(context, failure, refused));
  }
}

/** Whether who asks is a browser that shows what comes, and not a program that reads it. */
export function wantsPage(http: Request): boolean {
  return http.headers.get('accept')?.includes('text/html') === true;
}

function refuseProgram(context: Context, error: AppError): Response {
  const { fields } = error;
  const told = sentenceFor(context, error);
  return context.json(
    {
      ok: false,
      error: told,
      code: error.code,
      ...(fields.length > 0 && {
        fields: Object.fromEntries(fields.map(({ loc, msg }) => [loc.slice(1).join('.') || 'body', msg])),
        detail: fields,
      }),
    },
    statusOf(error),
  );
}

/** Where in the dashboard somebody is told no: the frame stays, and the nearest page of the side bar is the way on. */
interface Place {
  readonly viewer: Viewer;
  readonly destination: Destination;
  /** The address names one thing of the destination's list. */
  readonly isOfThing: boolean;
}

/** Null outside the dashboard, and for whom its pages are not shown: not signed in, not active, terms not accepted. */
async function findPlace(context: Context, { code }: AppError, refused: Refused): Promise<Place | null> {
  const { path } = context.req;
  const { row, services } = refused;
  if (!`${path}/`.startsWith('/dashboard/') || code === 'database_unavailable') return null;
  try {
    const session = refused.session ?? (await findSignedIn(context, services));
    if (session?.user.status !== 'active') return null;
    speakLanguageOf(context, session.user);
    if (await mustAccept(services.storage.db, session.user, services.legal.version)) return null;
    const viewer = await viewerOf(session, services);
    const all = destinationsOf(viewer).flatMap(({ destinations }) => destinations);
    const [overview] = all;
    // Whoever is refused a page of the side bar is not led to it again.
    const destination = all.find(({ href }) => isCurrent(href, path) && href !== path) ?? overview;
    return destination === undefined
      ? null
      : { viewer, destination, isOfThing: row?.path.includes('{') === true };
  } catch (thrown) {
    // What failed may fail the frame too: the page that says so needs nothing of it.
    const failure = asAppError(thrown);
    services.log.warn('a refusal has no frame', { detail: failure.internal ?? failure.message });
    return null;
  }
}

/** Where an address asks a page for what it does not know, which somebody wrote by hand or kept for long. */
function refuseAddress(context: Context, error: AppError, place: Place | null): Promise<Response> {
  if (error.fields.some(({ loc }) => loc[0] === 'path')) return showMissing(context, error, place);
  const { addressRefused } = wordsFor(context, noticesWords);
  const kept = new URL(context.req.url).searchParams;
  const wrong = error.fields.map(({ loc }) => String(loc[1] ?? ''));
  // Without a field that is missing the page would refuse again.
  const helps = wrong.every((name) => kept.has(name));
  for (const name of wrong) kept.delete(name);
  return show(context, error, place, {
    title: addressRefused.title,
    paragraphs: error.fields.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`),
    action: helps
      ? { href: `${context.req.path}${kept.size > 0 ? `?${kept}` : ''}`, label: addressRefused.action }
      : wayOnFrom(context, place),
  });
}

function refusePage(context: Context, error: AppError, place: Place | null): Promise<Response> {
  const { databaseIsAway, somethingFailed } = wordsFor(context, noticesWords);
  const action = wayOnFrom(context, place);
  if (error.code === 'database_unavailable') {
    return show(context, error, place, { ...databaseIsAway, command: ['npx sluice doctor'], action });
  }
  if (error.status >= 500) return show(context, error, place, { ...somethingFailed, action });
  if (error.status === 404) return showMissing(context, error, place);
  const title = wordsFor(context, errorsWords).refused;
  return show(context, error, place, { title, paragraphs: [sentenceFor(context, error)], action });
}

/** The same for what is nobody's and for what is somebody else's. */
function showMissing(context: Context, error: AppError, place: Place | null): Promise<Response> {
  const { missing, notFound } = wordsFor(context, noticesWords);
  const things: Partial<Record<Destination['name'], typeof notFound>> = missing;
  const told = place?.isOfThing === true ? things[place.destination.name] : undefined;
  return show(context, error, place, { ...(told ?? notFound), action: wayOnFrom(context, place) });
}

function wayOnFrom(context: Context, place: Place | null): Notice['action'] {
  const { start, backTo } = wordsFor(context, noticesWords);
  if (place === null) return { href: '/', label: start };
  const { href, name } = place.destination;
  return { href, label: backTo(wordsFor(context, interfaceWords).pages[name]) };
}

function show(context: Context, error: AppError, place: Place | null, notice: Notice): Promise<Response> {
  return showNotice(context, statusOf(error), {
    ...notice,
    ...(place !== null && { viewer: place.viewer }),
  });
}

/** With where they wanted to go, for once that is done. */
function withWayBack(context: Context, path: string): string {
  const { pathname, search } = new URL(context.req.url);
  const isPage = context.req.method === 'GET' && pathname !== '/dashboard';
  return isPage ? `${path}?${new URLSearchParams({ next: `${pathname}${search}` })}` : path;
}

const places: readonly unknown[] = ['body', 'query', 'path'];

/** What a rule found wrong with a field is named like a field of the body, in the reader's words where there are any. */
function inReadersWords(context: Context, error: AppError): AppError {
  if (error.fields.length === 0) return error;
  const words: Readonly<Record<string, string>> = wordsFor(context, errorsWords).fields;
  const fields = error.fields.map(({ loc, msg, type }) => ({
    loc: places.includes(loc[0]) ? loc : ['body', ...loc],
    msg: words[type] ?? msg,
    type,
  }));
  return new AppError({
    code: error.code,
    public: error.message,
    cause: error,
    fields,
    ...(error.param !== undefined && { param: error.param }),
    ...(error.reason !== undefined && { reason: error.reason }),
  });
}

/** In the reader's language where the portal has words for it; a rule's own sentence otherwise. */
export function sentenceFor(context: Context, error: AppError): string {
  const words = wordsFor(context, errorsWords);
  if (error.code === 'rate_limited') return words.tooManyAttempts(error.retryAfterSeconds ?? 60);
  const known: Partial<Record<ErrorCode, string>> = words.sentences;
  // What is not there is said beside the field that names it.
  const code = error.fields.length > 0 ? 'validation_failed' : error.code;
  // The sentences of codes are of a change that was overtaken, and of a role as a whole; rules refuse for other reasons too.
  const reasons: Readonly<Record<string, string>> = words.reasons;
  const reason = error.reason === undefined ? undefined : reasons[error.reason];
  if (reason !== undefined) return reason;
  // What is not there, a rule says more exactly, in English.
  if (code === 'not_found' && visitOf(context).language === 'en') return error.message;
  return known[code] ?? error.message;
}

function statusOf({ status }: AppError): ContentfulStatusCode {
  return status as ContentfulStatusCode;
}

/** The path stays out of the log: it can be a sign-in link. */
function tellLog(context: Context, error: AppError, { row, services }: Refused): void {
  if (error.status < 500) return;
  services.log.error('a page failed', {
    method: context.req.method,
    status: error.status,
    errorCode: error.code,
    ...(row === null ? {} : { path: row.path }),
    ...(error.internal === undefined ? {} : { detail: error.internal }),
  });
}
