/** POST /auth/accept-tos: accepting the terms for an account that an identity provider is about to make. */
import { z } from 'zod';
import { AppError } from '../../base/errors.ts';
import { done } from '../done.ts';
import { pathHere } from '../path-here.ts';
import { type Asked, type Route, route } from '../route.ts';
import { consentField, nextField, secretField, signupPath } from './fields.ts';
import { openIntent, writeTerms } from './provider-flow.ts';
import { requireProvider } from './provider-start.ts';

const body = z.object({
  accept_terms: consentField.describe('True: the current terms are accepted'),
  version: z
    .string()
    .max(50)
    .optional()
    .describe('The version that was read; the current one when not given'),
  provider: z.string().max(40).optional().describe('The identity provider to go on to'),
  next: nextField,
  from: z.string().max(4000).optional().describe('What was begun, sealed'),
  invite: secretField.optional().describe('The secret of an invitation, which came by mail'),
});

export const acceptTermsRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/auth/accept-tos',
    summary: 'Accept the terms before an account is made by an identity provider',
    tag: 'Signing in',
    access: 'anyone',
    answers: 'action',
    page: signupPath,
    body,
    result: z.object({ next: z.string().describe('The page to go on to'), version: z.string() }),
    refusals: { 409: 'The version is not the current one' },
    handle: accept,
  }),
];

async function accept({
  context,
  services,
  body: given,
}: Asked<'anyone', { body: typeof body }>): Promise<Response> {
  const { version: legalVersion } = services.legal;
  const { version = legalVersion, provider, next, from, invite } = given;
  if (version !== legalVersion) {
    throw new AppError({
      code: 'conflict',
      public: `The current version is ${legalVersion}. Read it and accept it.`,
    });
  }
  const to = provider === undefined ? '/login' : `/auth/${requireProvider(services, provider).name}`;
  const query = new URLSearchParams({
    ...(next !== undefined && { next: pathHere(next, '/dashboard') }),
    ...(from !== undefined && { from }),
    ...(invite !== undefined && provider !== undefined && { invite }),
    ...(provider !== undefined && { pause: '1' }),
  });
  const begun =
    provider === undefined || from === undefined ? undefined : await openIntent(services, provider, from);
  writeTerms(context, services, begun?.portal?.host);
  const address = query.size === 0 ? to : `${to}?${query}`;
  return done(context, { to: address, result: { next: address, version } });
}
