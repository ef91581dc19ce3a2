/** What is done to a key with one button: rotating it, ending the token before, turning it off and on, revoking it. */
import { z } from 'zod';
import {
  endKey,
  endOverlap,
  mostOverlapHours,
  rotateKey,
  setKeyEnabled,
  transact,
  usualOverlapHours,
} from '../../../identity/index.ts';
import { done } from '../../done.ts';
import { keysWords } from '../../languages/keys/index.ts';
import { wantsPage } from '../../refusal.ts';
import { type Asked, type Route, route } from '../../route.ts';
import { fieldIssue } from '../../sign-in/fields.ts';
import { wordsFor } from '../../visit.ts';
import { inFormsWords } from './key-fields.ts';
import { keepToken } from './key-token.tsx';
import {
  keyParams,
  keyPath,
  keyRefusals,
  keyResult,
  keysPath,
  keysTag,
  requireTheKey,
  tellKey,
} from './the-key.ts';

const rotateBody = z.object({
  overlap_hours: z
    .preprocess(
      (given) => (typeof given === 'string' && /^\d{1,6}$/.test(given) ? Number(given) : given),
      z.int().min(0).max(mostOverlapHours),
    )
    .default(usualOverlapHours)
    .describe('How long the present token works on'),
});
const revokeBody = z.object({
  'revoke-name': z.string().max(200).optional().describe('Of a form: the name of the key, typed'),
});

const action = {
  method: 'POST',
  tag: keysTag,
  access: 'member',
  answers: 'action',
  page: (_sent: unknown, { key_id }: Readonly<Record<string, string>>) =>
    /^\d{1,15}$/.test(key_id ?? '') ? keyPath(Number(key_id)) : keysPath,
  params: keyParams,
  refusals: {
    403: 'The key is of somebody with a higher role',
    ...keyRefusals,
    409: 'Its state does not allow it',
  },
  result: z.object({ key: keyResult }),
} as const;

export const keyActionRoutes: readonly Route[] = [
  route({
    ...action,
    path: '/dashboard/keys/{key_id}/rotate',
    summary: 'Give a key another token, told once; the present one works on for a while',
    body: rotateBody,
    result: z.object({ key: keyResult, token: z.string() }),
    handle: rotate,
  }),
  route({
    ...action,
    path: '/dashboard/keys/{key_id}/end-overlap',
    summary: 'End the token before the present one now',
    handle: endPrevious,
  }),
  route({
    ...action,
    path: '/dashboard/keys/{key_id}/enable',
    summary: 'Turn a key on',
    handle: switchTo(true),
  }),
  route({
    ...action,
    path: '/dashboard/keys/{key_id}/disable',
    summary: 'Turn a key off',
    handle: switchTo(false),
  }),
  route({
    ...action,
    path: '/dashboard/keys/{key_id}/revoke',
    summary: 'End a key for good',
    body: revokeBody,
    handle: revoke,
  }),
];

type AskedForKey = Asked<'member', { params: typeof keyParams }>;

async function rotate({
  context,
  services,
  session: { user },
  scope,
  params: { key_id: keyId },
  body: { overlap_hours: overlapHours },
}: Asked<'member', { params: typeof keyParams; body: typeof rotateBody }>): Promise<Response> {
  const { tokenPrefix } = services;
  const rotation = { actor: user, keyId, tokenPrefix, overlapHours };
  const { key, token } = await inFormsWords(() =>
    transact(services, (work) => rotateKey(scope, work, rotation)),
  );
  if (wantsPage(context.req.raw)) await keepToken(context, services, { keyId, userId: user.id, token });
  const message = wordsFor(context, keysWords).done.rotated;
  return done(context, { to: `${keyPath(keyId)}/token`, message, result: { key: tellKey(key), token } });
}

async function endPrevious({ context, services, session, scope, params }: AskedForKey): Promise<Response> {
  const keyId = params.key_id;
  const key = await transact(services, (work) => endOverlap(scope, work, { actor: session.user, keyId }));
  const message = wordsFor(context, keysWords).done.ended;
  return done(context, { to: keyPath(keyId), message, result: { key: tellKey(key) } });
}

function switchTo(enabled: boolean) {
  return async ({ context, services, session, scope, params }: AskedForKey): Promise<Response> => {
    const keyId = params.key_id;
    const { key } = await transact(services, (work) =>
      setKeyEnabled(scope, work, { actor: session.user, keyId, enabled }),
    );
    const words = wordsFor(context, keysWords).done;
    const message = enabled ? words.enabled : words.disabled;
    return done(context, { to: keyPath(keyId), message, result: { key: tellKey(key) } });
  };
}

/** A form has to bring the typed name; a program says what it means by the address. */
async function revoke({
  context,
  services,
  session,
  scope,
  params: { key_id: keyId },
  body,
}: Asked<'member', { params: typeof keyParams; body: typeof revokeBody }>): Promise<Response> {
  const known = await requireTheKey(scope, services, keyId);
  const typed = body['revoke-name'];
  const isForm = context.get('form') !== undefined;
  if ((isForm || typed !== undefined) && typed?.trim() !== known.name) {
    throw fieldIssue('revoke-name', 'other_name', 'is not the name of this key');
  }
  const key = await transact(services, (work) => endKey(scope, work, { actor: session.user, keyId }));
  const message = wordsFor(context, keysWords).done.revoked;
  return done(context, { to: keyPath(keyId), message, result: { key: tellKey(key) } });
}
