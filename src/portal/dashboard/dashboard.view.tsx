/** The overview of one person. */
import type { Model } from '../../catalogue/index.ts';
import type { ApiKey, User } from '../../identity/index.ts';
import type { StoredUsageRecord } from '../../usage/index.ts';
import { ChatCommand, CreditCommand } from '../ui/commands.tsx';
import { splitBalance } from '../ui/figures.tsx';
import { Keys } from './keys.view.tsx';
import { Models } from './models.view.tsx';
import { Requests } from './requests.view.tsx';

export interface Overview {
  readonly user: User;
  readonly availableNanoUsd: bigint;
  readonly keys: readonly ApiKey[];
  /** Newest first. */
  readonly requests: readonly StoredUsageRecord[];
  readonly models: readonly Model[];
  readonly address: string;
  readonly nowMs: number;
}

export function dashboardView(overview: Overview) {
  const { keys, requests, models, user, nowMs } = overview;
  return (
    <>
      <h1 class="hidden">Overview</h1>
      <div class="top">
        <Balance {...overview} />
        <Start {...overview} />
      </div>
      <Requests requests={requests} nowMs={nowMs} />
      <Keys keys={keys} ownerEmail={user.email} nowMs={nowMs} />
      <Models models={models} />
    </>
  );
}

function Balance(overview: Overview) {
  const { dollars, behindCents } = splitBalance(overview.availableNanoUsd);
  return (
    <section aria-labelledby="balance">
      <h2 id="balance">Balance</h2>
      <p class="figure">
        {dollars}
        {behindCents === '' ? null : <span class="fraction">{behindCents}</span>}
      </p>
      <BalanceAdvice {...overview} />
    </section>
  );
}

function BalanceAdvice({ user, availableNanoUsd, nowMs }: Overview) {
  if (user.billingExempt) {
    return <p class="quiet">Your requests are counted at cost and charged to nobody.</p>;
  }
  if (availableNanoUsd > 0n) return <p class="quiet">Prepaid. What a request costs is taken when it ends.</p>;
  return (
    <>
      <p class="state bad">Empty: requests are refused with status 402</p>
      <p class="quiet">Whoever runs this server adds money:</p>
      <CreditCommand email={user.email} nowMs={nowMs} />
    </>
  );
}

function Start({ models, address }: Overview) {
  const model = models.find(({ type }) => type === 'chat');
  return (
    <section aria-labelledby="start">
      <h2 id="start">Send a request</h2>
      {model === undefined ? (
        <p class="quiet">As soon as there is a chat model, a line to paste appears here.</p>
      ) : (
        <ChatCommand address={address} model={model.publicId} />
      )}
      <p class="quiet">
        OpenAI clients use the base URL <code class="whole">{address}/v1</code>
      </p>
    </section>
  );
}
