/** A form that was refused, kept over one redirect: what was written in it, but for secrets, and what was wrong. */
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { z } from 'zod';
import type { AppError } from '../base/errors.ts';
import { visitOf } from './visit.ts';

export interface KeptForm {
  /** The path of the action that refused it; empty where nothing was refused. */
  readonly of: string;
  readonly values: Readonly<Record<string, string>>;
  /** What was sent more than once under its name, such as boxes that were ticked. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  /** What is wrong, by the field's name. */
  readonly issues: Readonly<Record<string, string>>;
  /** For `formOf`: that the page shows it, and with it what was wrong. */
  readonly isShown?: () => void;
}

declare module 'hono' {
  interface ContextVariableMap {
    form?: Readonly<Record<string, unknown>>;
    /** That the page shows, beside its fields, what was wrong with the form that led to it. */
    saysWhatWasWrong?: boolean;
  }
}

const formCookie = 'sluice-form';
const lifetimeSeconds = 60;
/** Browsers drop a cookie of more than 4 KB, so that longer values are better left out. */
const mostCharacters = 2400;
const secretNames = /password|token|code|secret|invite/i;

const texts = z.record(z.string(), z.string());
const lists = z.record(z.string(), z.array(z.string())).default({});
const keptSchema = z.object({ of: z.string().default(''), values: texts, lists, issues: texts });
const nothing: KeptForm = { of: '', values: {}, lists: {}, issues: {} };

/**
 * Of what waits over a redirect. Browsers hold `__Host-` to Secure, this host and the whole path, so that a neighbouring
 * host, below the same domain, cannot put words on these pages; they refuse it on plain http.
 */
export function cookieOfHost(context: Context, name: string) {
  const isHttps = visitOf(context).address.startsWith('https:');
  const whole = `${isHttps ? '__Host-' : ''}${name}`;
  return {
    name: whole,
    options: { httpOnly: true, sameSite: 'Lax', path: '/', secure: isHttps },
  } as const;
}

export function keepForm(context: Context, { fields }: AppError): void {
  const written = Object.entries(context.get('form') ?? {}).filter(([name]) => !secretNames.test(name));
  const kept = {
    of: context.req.path,
    values: Object.fromEntries(
      written.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
    ),
    lists: Object.fromEntries(
      written.flatMap(([name, value]) => (isListOfTexts(value) ? [[name, value]] : [])),
    ),
    issues: Object.fromEntries(fields.map(({ loc, msg }) => [String(loc.at(-1) ?? ''), msg])),
  };
  const whole = encode(kept);
  const text = whole.length <= mostCharacters ? whole : encode({ ...kept, values: {}, lists: {} });
  if (text.length > mostCharacters) return;
  const { name, options } = cookieOfHost(context, formCookie);
  setCookie(context, name, text, { ...options, maxAge: lifetimeSeconds });
}

/** What the page's form was sent with before, which is then gone; empty where nothing was refused. */
export function takeForm(context: Context): KeptForm {
  const form = takeForms(context);
  if (Object.keys(form.issues).length > 0) form.isShown?.();
  return form;
}

/** For a page with several forms, each of which asks `formOf` for what was refused of its own. */
export function takeForms(context: Context): KeptForm {
  const { name, options } = cookieOfHost(context, formCookie);
  const text = getCookie(context, name);
  if (text === undefined) return nothing;
  deleteCookie(context, name, options);
  try {
    const kept = keptSchema.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
    return { ...kept, isShown: () => context.set('saysWhatWasWrong', true) };
  } catch {
    // A browser sends whatever cookies it has, so it may be anything.
    return nothing;
  }
}

/** It is of the form that is sent to such a path, and else of none. */
export function formOf(form: KeptForm, path: string): KeptForm {
  if (form.of !== path) return nothing;
  if (Object.keys(form.issues).length > 0) form.isShown?.();
  return form;
}

const isListOfTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

function encode(kept: KeptForm): string {
  return Buffer.from(JSON.stringify(kept)).toString('base64url');
}
