/** `/dashboard/keys/{key_id}/token`: a token that was just made, shown once, with requests to copy. */
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { z } from 'zod';
import type { ApiKey } from '../../../identity/index.ts';
import { keysWords } from '../../languages/keys/index.ts';
import { type Asked, type Route, route } from '../../route.ts';
import type { PortalServices } from '../../services.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { Code, CodeSamples } from '../../ui/code.tsx';
import { renderPage } from '../../ui/document.tsx';
import { useSpeech, useWords } from '../../ui/speech.tsx';
import { viewerOf } from '../../viewer.ts';
import { visitOf, wordsFor } from '../../visit.ts';
import { keySamples, modelForKey } from './key-samples.ts';
import { keyTerms } from './key-terms.ts';
import {
  keyParams,
  keyPath,
  keyRefusals,
  keysPath,
  keysTag,
  requireTheKey,
  visibleToken,
} from './the-key.ts';

const cookieName = 'sluice-new-token';
const lifetimeMs = 120_000;

export const keyTokenRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/dashboard/keys/{key_id}/token',
    summary: 'The token of a key that was just made or rotated, once',
    tag: keysTag,
    access: 'member',
    answers: 'page',
    // Who looks takes it with them.
    changes: true,
    params: keyParams,
    refusals: keyRefusals,
    handle: showToken,
  }),
];

interface NewToken {
  readonly keyId: number;
  /** Who made it, and is shown it. */
  readonly userId: number;
  readonly token: string;
}

const keptToken = z.object({ keyId: z.int(), userId: z.int(), token: z.string(), untilMs: z.number() });

/** Over one redirect, sealed, in a cookie of the one page that shows it: it is in no address, no log and no table. */
export async function keepToken(context: Context, services: PortalServices, made: NewToken): Promise<void> {
  const kept = { ...made, untilMs: services.clock.nowMs() + lifetimeMs };
  setCookie(context, cookieName, await services.envelope.seal(JSON.stringify(kept)), {
    ...cookieOf(context, made.keyId),
    maxAge: lifetimeMs / 1000,
  });
}

const cookieOf = (context: Context, keyId: number) =>
  ({
    path: `${keyPath(keyId)}/token`,
    httpOnly: true,
    sameSite: 'Strict',
    secure: visitOf(context).address.startsWith('https:'),
  }) as const;

/** The token, which is then gone; null where there is none, or it is of another key or for somebody else. */
async function takeToken(
  context: Context,
  { envelope, clock }: PortalServices,
  wanted: Omit<NewToken, 'token'>,
): Promise<string | null> {
  const sealed = getCookie(context, cookieName);
  if (sealed === undefined) return null;
  deleteCookie(context, cookieName, cookieOf(context, wanted.keyId));
  const opened = await envelope.open(sealed).catch(() => '{}');
  const kept = keptToken.safeParse(JSON.parse(opened)).data;
  if (kept === undefined || clock.nowMs() >= kept.untilMs) return null;
  return kept.keyId === wanted.keyId && kept.userId === wanted.userId ? kept.token : null;
}

async function showToken({
  context,
  services,
  session,
  scope,
  params: { key_id: keyId },
}: Asked<'member', { params: typeof keyParams }>): Promise<Response> {
  const key = await requireTheKey(scope, services, keyId);
  const token = await takeToken(context, services, { keyId, userId: session.user.id });
  const words = wordsFor(context, keysWords);
  const terms = await keyTerms(services, key);
  const title = token === null ? words.token.over : titleOf(key, words.token);
  return await renderPage(context, {
    title,
    layout: {
      kind: 'signed-in',
      viewer: await viewerOf(session, services),
      trail: [
        { href: keysPath, label: words.title },
        { href: keyPath(keyId), label: key.name },
      ],
    },
    content: (
      <>
        <div class="page-head">
          <h1>{title}</h1>
          <LinkButton href={keyPath(keyId)} look={token === null ? 'plain' : 'primary'}>
            {words.token.done}
          </LinkButton>
        </div>
        {token === null ? (
          <Callout>
            <p>{words.token.overDetail}</p>
          </Callout>
        ) : (
          <NewToken
            apiKey={key}
            token={token}
            address={visitOf(context).address}
            model={modelForKey(services.catalogue.current(), { key, terms }, session.user.billingExempt)}
          />
        )}
      </>
    ),
  });
}

const titleOf = (key: ApiKey, words: { readonly title: string; readonly rotatedTitle: string }): string =>
  key.rotatedAt === null ? words.title : words.rotatedTitle;

interface NewTokenProps {
  readonly apiKey: ApiKey;
  readonly token: string;
  readonly address: string;
  readonly model: string | undefined;
}

function NewToken({ apiKey, token, address, model }: NewTokenProps) {
  const { token: words } = useWords(keysWords);
  const { figures } = useSpeech();
  const { previousTokenPrefix, previousTokenLastFour, previousEndsAt } = apiKey;
  return (
    <div class="new-token">
      <p>{words.once}</p>
      <Code code={token} />
      {previousEndsAt === null ? null : (
        <p class="quiet">
          {words.previous(
            visibleToken(previousTokenPrefix ?? '', previousTokenLastFour ?? ''),
            figures.moment(previousEndsAt),
          )}
        </p>
      )}
      <section class="section" aria-labelledby="start-title">
        <h2 id="start-title">{words.start}</h2>
        {model === undefined ? (
          <p class="quiet">{words.noModel}</p>
        ) : (
          <CodeSamples id="start" samples={keySamples({ address, model, token }, words.environment)} />
        )}
      </section>
    </div>
  );
}
