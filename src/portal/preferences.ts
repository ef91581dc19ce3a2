/** POST /preferences: theme and language, remembered in cookies that the server reads, so that no page flashes. */
import { deleteCookie, setCookie } from 'hono/cookie';
import { z } from 'zod';
import { languages } from './languages/language.ts';
import { type Asked, type Route, route } from './route.ts';
import { languageCookie, themeCookie, visitOf } from './visit.ts';

const yearSeconds = 365 * 86_400;
const fields = z.object({
  theme: z.enum(['light', 'dark', 'system']).optional(),
  language: z.enum(languages).optional(),
  return: z.string().max(2000).optional(),
});

export const preferencesRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/preferences',
    summary: 'Choose the theme and the language of this browser',
    tag: 'Signing in',
    access: 'anyone',
    answers: 'redirect',
    page: '/',
    body: fields,
    handle: setPreferences,
  }),
];

function setPreferences({ context, body }: Asked<'anyone', { body: typeof fields }>): Response {
  const { address } = visitOf(context);
  const options = {
    path: '/',
    sameSite: 'Lax',
    httpOnly: true,
    secure: address.startsWith('https:'),
    maxAge: yearSeconds,
  } as const;
  const { theme, language } = body;
  if (theme === 'light' || theme === 'dark') setCookie(context, themeCookie, theme, options);
  if (theme === 'system') deleteCookie(context, themeCookie, { path: '/', secure: options.secure });
  if (language !== undefined) setCookie(context, languageCookie, language, options);
  return context.redirect(pathHere(body.return ?? null), 303);
}

/** A path of this host, or the start: `//other.host` and `/\other.host` would lead elsewhere. */
export function pathHere(path: string | null): string {
  if (path === null || !/^\/(?![/\\])[\x21-\x7e]*$/.test(path)) return '/';
  return path;
}
