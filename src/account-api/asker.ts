/** Who asks the account API: by a password, by the portal's session, or by an API key with a fitting scope. */
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { clientAddressOf, networkOf } from '../base/client-address.ts';
import { AppError } from '../base/errors.ts';
import { isFromElsewhere } from '../base/own-site.ts';
import { onlyOf, type PersonScope } from '../base/scope.ts';
import {
  findSession,
  holdPerson,
  mustAccept,
  ownerOfAddress,
  type PasswordDirectory,
  sessionCookieName,
  type User,
  type Work,
} from '../identity/index.ts';
import type { AccountApiServices } from './services.ts';

export interface Asker {
  readonly scope: PersonScope;
  /** Whom answers are counted for, and the audit trail names. */
  readonly userId: number;
  /** Of the network, for the audit trail. */
  readonly address: string;
}

/** What the listening socket hands on with a request; nothing is known of one that came by no socket. */
interface Arrival {
  readonly addressOf?: () => string | undefined;
}

/** Longer than an address and a password together. */
const mostCredentials = 2_000;
const safeMethods = ['GET', 'HEAD'];

/**
 * What the request shows of itself decides, in this order: the header `Authorization`, then the session.
 * @throws AppError for who is nobody, and for who may not.
 */
export async function findAsker(
  context: Context,
  services: AccountApiServices,
  passwords: PasswordDirectory,
): Promise<Asker> {
  const address = addressOf(context, services);
  const askerOf = (userId: number): Asker => ({ scope: onlyOf(userId), userId, address });
  const shown = context.req.header('authorization');
  if (shown === undefined) return askerOf((await findSignedIn(context, services)).id);
  const [, scheme = '', credentials = ''] = /^([A-Za-z]+) +([^\s]+)$/.exec(shown.trim()) ?? [];
  switch (scheme.toLowerCase()) {
    case 'basic': {
      const from = networkOf(address);
      const user = await passwords.find({ ...readBasic(credentials, services), from });
      requireActive(user);
      return askerOf(user.id);
    }
    case 'bearer':
      return askerOf(await findKeyOwner(context, services, credentials));
    default:
      throw nobody(
        'The Authorization header must be Basic with an e-mail address and a password, or Bearer with an API key.',
      );
  }
}

/**
 * Once more where something is written: between the look at who asks and this, a body came that may take a minute, in
 * which the account can be suspended or removed. It stays as it is until the work ends.
 * @throws AppError as for who asks from then on.
 */
export async function holdAsker({ scope, userId }: Asker, { executor }: Work): Promise<void> {
  const user = await holdPerson(scope, executor, userId);
  if (user === undefined) throw nobody('The account that asks is not there any more.');
  requireActive(user);
}

function addressOf(context: Context, { trustedProxies }: AccountApiServices): string {
  const arrival: Arrival | undefined = context.env;
  const connection = arrival?.addressOf?.();
  return clientAddressOf({ connection, forwardedFor: context.req.header('x-forwarded-for') }, trustedProxies);
}

/** A page of another site must change nothing for its visitor. */
async function findSignedIn(context: Context, services: AccountApiServices): Promise<User> {
  const address = services.publicUrl ?? new URL(context.req.url).origin;
  const token = getCookie(context, sessionCookieName(address.startsWith('https:')));
  const asked = { isCookieWritable: false };
  const session = token === undefined ? undefined : await findSession(services, token, asked);
  if (session === undefined) {
    throw nobody(
      'Say who asks: by Basic authentication with an e-mail address and a password, or with an API key as a Bearer token.',
    );
  }
  const isSafe = safeMethods.includes(context.req.method);
  if (!isSafe && isFromElsewhere((name) => context.req.header(name), address)) {
    throw new AppError({
      code: 'cross_site',
      public: 'This came from a page of another site, so nothing was done.',
    });
  }
  const { user } = session;
  requireActive(user);
  if (await mustAccept(services.storage.db, user, services.legal.version)) {
    throw new AppError({
      code: 'terms_not_accepted',
      public: `The terms have changed. Read and accept their version of ${services.legal.version} in the portal first.`,
    });
  }
  return user;
}

function readBasic(
  credentials: string,
  services: AccountApiServices,
): { readonly email: string; readonly password: string } {
  const isReadable = credentials.length <= mostCredentials && /^[A-Za-z0-9+/_-]+={0,2}$/.test(credentials);
  const text = isReadable ? Buffer.from(credentials, 'base64').toString('utf8') : '';
  const colon = text.indexOf(':');
  if (colon < 1) {
    throw nobody('Basic credentials are the Base64 of an e-mail address, a colon and a password.');
  }
  const email = text.slice(0, colon);
  const owner = ownerOfAddress(services.identityProviders, email);
  if (owner !== undefined) {
    throw new AppError({
      code: 'sign_in_elsewhere',
      public: `People with this e-mail domain sign in only with ${owner.label}. Create an API key there, and send it as a Bearer token.`,
    });
  }
  return { email, password: text.slice(colon + 1) };
}

async function findKeyOwner(context: Context, services: AccountApiServices, token: string): Promise<number> {
  const { userId, scopes, shownToOther } = await services.callers.find(token);
  const isSafe = safeMethods.includes(context.req.method);
  if (!scopes.has('account') && !(isSafe && scopes.has('read'))) {
    throw new AppError({
      code: 'scope_missing',
      public: isSafe
        ? 'This API key may not read the account: it needs the scope `read` or `account`.'
        : 'This API key may not change the account: it needs the scope `account`.',
    });
  }
  if (shownToOther) {
    throw new AppError({
      code: 'not_allowed',
      public:
        'This API key was made by somebody else than its owner, whose account it does not open. The owner can make one that does.',
    });
  }
  return userId;
}

/** @throws AppError `email_unverified`, `account_suspended` or `account_archived`. */
function requireActive({ status }: User): void {
  switch (status) {
    case 'active':
      return;
    case 'unverified':
      throw new AppError({
        code: 'email_unverified',
        public: 'The e-mail address of this account is not confirmed yet. Follow the link in the mail first.',
      });
    case 'suspended':
      throw new AppError({
        code: 'account_suspended',
        public: 'This account is suspended. Its owner can see why by signing in to the portal.',
      });
    case 'archived':
      throw new AppError({ code: 'account_archived', public: 'This account is closed.' });
  }
}

const nobody = (sentence: string) => new AppError({ code: 'not_signed_in', public: sentence });
