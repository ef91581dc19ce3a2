/** `/unsubscribe`: what the link at the end of a mail opens, and stopping mails of its kind, by a button or by one click. */
import type { Context } from 'hono';
import { z } from 'zod';
import { readRequestText } from '../../base/request-text.ts';
import { transact } from '../../identity/index.ts';
import { findSubscription, unsubscribe, unsubscribePath } from '../../notifications/index.ts';
import { done } from '../done.ts';
import { contactsWords } from '../languages/contacts/index.ts';
import { webhooksWords } from '../languages/webhooks/index.ts';
import { type Asked, type Route, route } from '../route.ts';
import { linkOver } from '../sign-in/fields.ts';
import { showFormPage } from '../sign-in/form-page.tsx';
import { LinkButton, PostButton } from '../ui/button.tsx';
import { wordsFor } from '../visit.ts';
import { settingsPaths } from './section.ts';

/** Of what mail programs send with their one click, in the form of either type. */
const mostBodyBytes = 4096;
const tokenQuery = z.object({ token: z.string().max(1000).default('') });

export const unsubscribeRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: unsubscribePath,
    summary: 'What the link at the end of a mail opens: which mails it stops, and a button',
    tag: 'Public pages',
    access: 'anyone',
    answers: 'page',
    query: tokenQuery,
    refusals: { 410: 'The link is unknown, or its contact is gone' },
    handle: show,
  }),
  route({
    method: 'POST',
    path: unsubscribePath,
    summary: 'Stop mails of one kind to one contact; mail programs send it by one click (RFC 8058)',
    tag: 'Public pages',
    access: 'anyone',
    answers: 'action',
    // Sent by servers of mail programs; the token shows by itself who may.
    fromElsewhere: true,
    query: tokenQuery,
    refusals: { 410: 'The link is unknown, or its contact is gone' },
    handle: stop,
  }),
];

type AskedWithToken = Asked<'anyone', { query: typeof tokenQuery }>;

const find = ({ services: { storage, envelope }, query: { token } }: AskedWithToken) =>
  findSubscription(storage.db, envelope, token);

/** As the settings name it. */
const nameOf = (context: Context, kind: string): string =>
  wordsFor(context, contactsWords).kinds[kind] ?? kind;

/** Opening a link changes nothing: mail programs open every link that they see, to look for harm. */
async function show(asked: AskedWithToken): Promise<Response> {
  const { context, query } = asked;
  const { stop: words } = wordsFor(context, webhooksWords);
  const subscription = await find(asked);
  if (subscription === undefined) return showOver(context);
  const { email, kind, isOn } = subscription;
  if (!isOn) {
    return showFormPage(context, {
      title: words.stopped,
      content: (
        <>
          <p>{words.stoppedText(email, nameOf(context, kind))}</p>
          <p>
            <LinkButton href={settingsPaths.notifications}>{words.settings}</LinkButton>
          </p>
        </>
      ),
    });
  }
  return showFormPage(context, {
    title: words.title,
    content: (
      <>
        <p>{words.text(email, nameOf(context, kind))}</p>
        <PostButton to={`${unsubscribePath}?${new URLSearchParams(query)}`} look="primary" size="large">
          {words.action}
        </PostButton>
      </>
    ),
  });
}

function showOver(context: Context): Promise<Response> {
  const { stop: words } = wordsFor(context, webhooksWords);
  return showFormPage(context, { title: words.over, status: 410, content: <p>{words.overText}</p> });
}

async function stop(asked: AskedWithToken): Promise<Response> {
  const { context, services, query } = asked;
  const body = await readRequestText(context.req.raw, services, { maxBytes: mostBodyBytes });
  // RFC 8058: its form may be of either type, and it follows no redirect, whatever it accepts.
  const isOneClick = body.includes('List-Unsubscribe') && body.includes('One-Click');
  const subscription = await find(asked);
  if (subscription === undefined) {
    if (isOneClick) return showOver(context);
    throw linkOver();
  }
  await transact(services, (work) => unsubscribe(work, subscription));
  if (isOneClick) return context.json({ ok: true });
  return done(context, { to: `${unsubscribePath}?${new URLSearchParams(query)}` });
}
