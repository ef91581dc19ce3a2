/** Theme and language of a browser, remembered in cookies that the server reads, so that no page flashes. */
import type { Context } from 'hono';
import { deleteCookie, setCookie } from 'hono/cookie';
import { z } from 'zod';
import { onlyOf } from '../base/scope.ts';
import { changeProfile, transact } from '../identity/index.ts';
import { done } from './done.ts';
import { type Language, languages } from './languages/language.ts';
import { pathHere } from './path-here.ts';
import { type Asked, type Route, route } from './route.ts';
import { languageCookie, themeCookie, visitOf } from './visit.ts';

const yearSeconds = 365 * 86_400;
export const themes = ['system', 'light', 'dark'] as const;
const preferences = z.object({
  theme: z.enum(themes).optional(),
  language: z.enum(languages).optional(),
  return: z.string().max(2000).optional(),
});
const languageChoice = z.object({ language: z.enum(languages), next: z.string().max(2000).optional() });

export const preferencesRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/preferences',
    summary: 'Choose the theme and the language of this browser',
    tag: 'Signing in',
    access: 'anyone',
    answers: 'redirect',
    page: '/',
    body: preferences,
    handle: setPreferences,
  }),
  route({
    method: 'POST',
    path: '/set-language',
    summary: 'Choose the language of this browser, and of the account of whoever is signed in',
    tag: 'Signing in',
    access: 'anyone',
    answers: 'action',
    page: '/',
    body: languageChoice,
    result: z.object({ language: z.enum(languages) }),
    async handle(asked) {
      const { language, next } = asked.body;
      await chooseLanguage(asked, language);
      return done(asked.context, { to: pathHere(next), result: { language } });
    },
  }),
];

async function setPreferences(asked: Asked<'anyone', { body: typeof preferences }>): Promise<Response> {
  const { context, body } = asked;
  const { theme, language } = body;
  if (theme !== undefined) chooseTheme(context, theme);
  if (language !== undefined) await chooseLanguage(asked, language);
  return context.redirect(pathHere(body.return), 303);
}

/** A browser keeps it, and not the account: screens differ. */
export function chooseTheme(context: Context, theme: (typeof themes)[number]): void {
  const options = cookieOptions(context);
  if (theme === 'system') deleteCookie(context, themeCookie, { path: '/', secure: options.secure });
  else setCookie(context, themeCookie, theme, options);
}

/** An account keeps it too, for other browsers and for mails. */
export async function chooseLanguage(
  { context, services, session }: Pick<Asked, 'context' | 'services' | 'session'>,
  language: Language,
): Promise<void> {
  setCookie(context, languageCookie, language, cookieOptions(context));
  if (session === null) return;
  await transact(services, (work) => changeProfile(onlyOf(session.user.id), work, { language }));
}

function cookieOptions(context: Context) {
  return {
    path: '/',
    sameSite: 'Lax',
    httpOnly: true,
    secure: visitOf(context).address.startsWith('https:'),
    maxAge: yearSeconds,
  } as const;
}
