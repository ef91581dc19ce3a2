/** POST /preferences: theme and language, remembered in cookies that the server reads, so that no page flashes. */
import type { Context } from 'hono';
import { deleteCookie, setCookie } from 'hono/cookie';
import { isLanguage } from './languages/language.ts';
import { languageCookie, themeCookie, visitOf } from './visit.ts';

const yearSeconds = 365 * 86_400;
const mostBytes = 4096;

export async function setPreferences(context: Context): Promise<Response> {
  const form = await readForm(context);
  const { address } = visitOf(context);
  const options = {
    path: '/',
    sameSite: 'Lax',
    httpOnly: true,
    secure: address.startsWith('https:'),
    maxAge: yearSeconds,
  } as const;
  const theme = form.get('theme');
  const language = form.get('language') ?? undefined;
  if (theme === 'light' || theme === 'dark') setCookie(context, themeCookie, theme, options);
  if (theme === 'system') deleteCookie(context, themeCookie, { path: '/', secure: options.secure });
  if (isLanguage(language)) setCookie(context, languageCookie, language, options);
  return context.redirect(pathHere(form.get('return')), 303);
}

/** A form that is too long has nothing that is looked for here. */
async function readForm({ req }: Context): Promise<URLSearchParams> {
  const length = Number(req.header('content-length') ?? Number.NaN);
  return new URLSearchParams(length <= mostBytes ? await req.text() : '');
}

/** A path of this host, or the start: `//other.host` and `/\other.host` would lead elsewhere. */
export function pathHere(path: string | null): string {
  if (path === null || !/^\/(?![/\\])[\x21-\x7e]*$/.test(path)) return '/';
  return path;
}
