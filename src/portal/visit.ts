/** What a page has to know of who looks at it before it knows who that is: language, theme, brand, address. */
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { type Dictionary, isLanguage, type Language, languageAskedFor } from './languages/language.ts';
import { type Brand, sluiceBrand } from './ui/brand.ts';

export type Theme = 'light' | 'dark';

export interface Visit {
  readonly language: Language;
  /** Null follows the system. */
  readonly theme: Theme | null;
  readonly brand: Brand;
  /** Where people reach this service, without a slash at the end. */
  readonly address: string;
}

declare module 'hono' {
  interface ContextVariableMap {
    visit?: Visit;
  }
}

export const languageCookie = 'sluice-language';
export const themeCookie = 'sluice-theme';

export function visitOf(context: Context): Visit {
  const known = context.get('visit');
  if (known !== undefined) return known;
  const visit = readVisit(context);
  context.set('visit', visit);
  return visit;
}

/** What is learned later: the language of an account, the brand of a host. */
export function changeVisit(context: Context, change: Partial<Visit>): void {
  context.set('visit', { ...visitOf(context), ...change });
}

/** The language of an account, where the browser was told none. */
export function speakLanguageOf(context: Context, { language }: { readonly language: string | null }): void {
  const chosen = language ?? undefined;
  if (isLanguage(chosen) && getCookie(context, languageCookie) === undefined) {
    changeVisit(context, { language: chosen });
  }
}

function readVisit(context: Context): Visit {
  const chosen = getCookie(context, languageCookie);
  const theme = getCookie(context, themeCookie);
  return {
    language: isLanguage(chosen) ? chosen : languageAskedFor(context.req.header('accept-language')),
    theme: theme === 'light' || theme === 'dark' ? theme : null,
    brand: sluiceBrand,
    address: new URL(context.req.url).origin,
  };
}

/** Outside components: the words of an area in the reader's language. Within them, `useWords`. */
export const wordsFor = <Words>(context: Context, dictionary: Dictionary<Words>): Words =>
  dictionary[visitOf(context).language];
