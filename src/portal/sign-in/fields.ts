/** The fields that forms of this room share, and what may follow once they are right. */
import { z } from 'zod';
import { AppError, type FieldIssue } from '../../base/errors.ts';
import { newPasswordField } from '../../identity/index.ts';

export const emailField = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .pipe(z.email({ pattern: z.regexes.html5Email }));

/** As it is typed: what a new one may be is a rule of its own. */
export const passwordField = z.string().min(1).max(1024);

/** Of an account that is to be made: told to be too short beside whatever else is wrong with its form. */
export const chosenPasswordField = passwordField.pipe(newPasswordField);

/** Of a link in a mail. */
export const secretField = z.string().max(100);

/** Where to go on afterwards; anything but a path of this host leads to the overview. */
export const nextField = z.string().max(4000).optional();

/** A box that has to be ticked: a form sends `on`, a program `true`; without it no account is made. */
export const consentField = z
  .union([z.boolean(), z.string().max(10)])
  .prefault(false)
  .superRefine((value, check) => {
    if (!isTicked(value)) check.addIssue({ code: 'custom', message: 'terms', params: { type: 'terms' } });
  });

export function isTicked(value: boolean | string | undefined): boolean {
  return value === true || value === 'on' || value === 'true';
}

/** Where the form of a new account stands, by what was sent with it. */
export const signupPath = ({ invite }: Readonly<Record<string, unknown>>): string =>
  typeof invite === 'string' ? `/signup?${new URLSearchParams({ invite })}` : '/signup';

/** @param type names the words that say it, in `languages/errors`. */
export function fieldIssue(name: string, type: string, msg: string): AppError {
  const issue: FieldIssue = { loc: ['body', name], msg, type };
  return new AppError({ code: 'validation_failed', public: `${name} ${msg}`, param: name, fields: [issue] });
}

/** For a link of a mail that is unknown, used or over. */
export function linkOver(): AppError {
  return new AppError({
    code: 'link_over',
    public: 'This link does not work any more. Ask for another mail.',
  });
}
