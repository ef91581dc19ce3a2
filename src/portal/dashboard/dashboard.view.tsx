/** The overview of one person. */
import type { Model } from '../../catalogue/index.ts';
import type { ApiKey, User } from '../../identity/index.ts';
import type { StoredUsageRecord } from '../../usage/index.ts';
import { dashboardWords } from '../languages/dashboard/index.ts';
import { ChatCommand, CreditCommand } from '../ui/commands.tsx';
import { useSpeech, useWords } from '../ui/speech.tsx';
import { State } from '../ui/state.tsx';
import { Keys } from './keys.view.tsx';
import { Models } from './models.view.tsx';
import { Requests } from './requests.view.tsx';

export interface OverviewProps {
  readonly user: User;
  readonly availableNanoUsd: bigint;
  readonly keys: readonly ApiKey[];
  /** Newest first. */
  readonly requests: readonly StoredUsageRecord[];
  readonly models: readonly Model[];
  readonly address: string;
  readonly nowMs: number;
}

export function Overview(overview: OverviewProps) {
  const { keys, requests, models, user, nowMs } = overview;
  const words = useWords(dashboardWords);
  return (
    <>
      <div class="page-head">
        <h1>{words.title}</h1>
      </div>
      <div class="overview-top">
        <Balance {...overview} />
        <Start {...overview} />
      </div>
      <Requests requests={requests} nowMs={nowMs} />
      <Keys keys={keys} ownerEmail={user.email} nowMs={nowMs} />
      <Models models={models} />
    </>
  );
}

function Balance(overview: OverviewProps) {
  const words = useWords(dashboardWords).balance;
  const { figures } = useSpeech();
  const { dollars, behindCents, sign } = figures.balance(overview.availableNanoUsd);
  return (
    <section id="balance" aria-labelledby="balance-title">
      <h2 id="balance-title">{words.title}</h2>
      <p class="amount">
        {dollars}
        {behindCents === '' ? null : <span class="fraction">{behindCents}</span>}
        {sign}
      </p>
      <BalanceAdvice {...overview} />
    </section>
  );
}

function BalanceAdvice({ user, availableNanoUsd, nowMs }: OverviewProps) {
  const words = useWords(dashboardWords).balance;
  if (user.billingExempt) return <p class="quiet">{words.exempt}</p>;
  if (availableNanoUsd > 0n) return <p class="quiet">{words.prepaid}</p>;
  return (
    <div class="stack">
      <State mood="bad">{words.empty}</State>
      <p class="quiet">{words.howToAdd}</p>
      <CreditCommand email={user.email} nowMs={nowMs} />
    </div>
  );
}

function Start({ models, address }: OverviewProps) {
  const words = useWords(dashboardWords).start;
  const model = models.find(({ type }) => type === 'chat');
  return (
    <section aria-labelledby="start-title">
      <div class="section-head">
        <h2 id="start-title">{words.title}</h2>
        <p class="quiet small">{words.baseUrl(<code class="whole">{address}/v1</code>)}</p>
      </div>
      {model === undefined ? (
        <p class="quiet">{words.noModel}</p>
      ) : (
        <ChatCommand address={address} model={model.publicId} />
      )}
    </section>
  );
}
