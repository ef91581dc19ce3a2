/** Where somebody lands who is signed in and may do nothing: suspended, or closed. */
import type { Context } from 'hono';
import { noticesWords } from '../languages/notices/index.ts';
import { type Route, route } from '../route.ts';
import { showNotice } from '../ui/notice.tsx';
import { wordsFor } from '../visit.ts';

type Standing = 'suspended' | 'archived';

export const standingRoutes: readonly Route[] = [
  standingPage('/account/suspended', 'suspended', 'Where somebody lands whose account is suspended'),
  standingPage('/account/archived', 'archived', 'Where somebody lands whose account is closed'),
];

function standingPage(path: string, status: Standing, summary: string): Route {
  return route({
    method: 'GET',
    path,
    summary,
    tag: 'Public pages',
    access: 'anyone',
    answers: 'page',
    handle: ({ context }) => show(context, status),
  });
}

function show(context: Context, status: Standing): Promise<Response> {
  const words = wordsFor(context, noticesWords);
  return showNotice(context, 200, { ...words[status], action: { post: '/logout', label: words.signOut } });
}
