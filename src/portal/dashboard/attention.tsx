/** What somebody should look at on their overview, each with its consequence and the way to it. Nothing where all is well. */
import type { Child } from 'hono/jsx';
import type { Scope } from '../../base/scope.ts';
import { hasSecondFactor, isAtLeast, listEndingKeys, type Session } from '../../identity/index.ts';
import { type BalanceLevels, type BudgetSubject, listBudgets } from '../../ledger/index.ts';
import type { StoredUsageRecord } from '../../usage/index.ts';
import type { HomeWords } from '../languages/home/en.ts';
import { homeWords } from '../languages/home/index.ts';
import { emptyAtMs, type Payment } from '../payment.ts';
import type { PortalServices } from '../services.ts';
import { Attention } from '../ui/callout.tsx';
import type { Figures } from '../ui/figures.ts';
import { wayTo } from '../ui/navigation.ts';
import { Moment, useSpeech, useWords } from '../ui/speech.tsx';

const dayMs = 86_400_000;
const longMs = 365 * dayMs;
const balanceHref = '#balance';
const mostKeys = 5;
const mostNames = 5;
/** Fewer attempts, and fewer failures, say nothing of a provider. */
const fewestAttempts = 20;
const fewestFailures = 3;
const failingShare = 0.2;

type EndingKeys = Awaited<ReturnType<typeof listEndingKeys>>;
type BudgetStates = Awaited<ReturnType<typeof listBudgets>>;

export interface Notices {
  /** Of who looks. */
  readonly email: string;
  readonly isUnverified: boolean;
  readonly lacksSecondFactor: boolean;
  readonly payment: Payment;
  readonly lowBalance: BalanceLevels;
  readonly endingKeys: EndingKeys;
  readonly budgets: BudgetStates;
  /** Of models that are served and refused to those who pay; for who sets prices. */
  readonly unpriced: readonly string[];
  readonly failing: readonly FailingProvider[];
  readonly keyNames: ReadonlyMap<number, string>;
  /** What is looked at, where that is an organisation. */
  readonly organisation: string | null;
}

interface Looking {
  readonly session: Session;
  readonly scope: Scope;
  readonly services: PortalServices;
  readonly payment: Payment;
  /** What is looked at, or whoever looks belongs to; null for none. */
  readonly organisation: string | null;
  /** Of the person: those that were used last. */
  readonly keys: readonly { readonly id: number; readonly name: string }[];
  /** Newest first. */
  readonly requests: readonly StoredUsageRecord[];
}

export async function readNotices(looking: Looking): Promise<Notices> {
  const { session, scope, services, payment, organisation, keys, requests } = looking;
  const { user } = session;
  const { db } = services.storage;
  const nowMs = services.clock.nowMs();
  const [endingKeys, budgets, isSafe] = await Promise.all([
    listEndingKeys(scope, db, { nowMs, limit: mostKeys }),
    listBudgets(db, nowMs, subjectsOf(scope, keys)),
    isAtLeast(user.role, 'department_admin')
      ? hasSecondFactor({ whose: 'person', userId: user.id }, db)
      : true,
  ]);
  const seesPrices = scope.whose === 'everybody';
  return {
    email: user.email,
    isUnverified: user.emailVerifiedAt === null,
    lacksSecondFactor: !isSafe,
    payment,
    lowBalance: services.lowBalance,
    endingKeys,
    budgets: budgets.filter(
      ({ limitNanoUsd, spentNanoUsd }) => limitNanoUsd > 0n && spentNanoUsd * 5n >= limitNanoUsd * 4n,
    ),
    unpriced: seesPrices
      ? services.catalogue
          .current()
          .models.filter(({ prices }) => prices === null)
          .map(({ publicId }) => publicId)
      : [],
    failing: failingProviders(requests, nowMs),
    keyNames: new Map(keys.map(({ id, name }) => [id, name])),
    organisation,
  };
}

function subjectsOf(scope: Scope, keys: Looking['keys']): readonly BudgetSubject[] {
  switch (scope.whose) {
    case 'everybody':
      return [];
    case 'organisation':
      return [{ kind: 'organisation', id: scope.organisationId }];
    case 'department':
      return [{ kind: 'department', id: scope.departmentId }];
    case 'person':
      return [{ kind: 'user', id: scope.userId }, ...keys.map(({ id }) => ({ kind: 'key', id }) as const)];
  }
}

interface FailingProvider {
  readonly name: string;
  readonly tried: number;
  readonly failed: number;
  /** Requests that ended with the failure: nobody else could answer them. */
  readonly reached: number;
}

/** Of the attempts of the latest requests, within a day. What a client did wrong is not a provider's failure. */
function failingProviders(requests: readonly StoredUsageRecord[], nowMs: number): readonly FailingProvider[] {
  const recent = requests.filter(({ startedAt }) => startedAt.getTime() > nowMs - dayMs);
  const attempts = recent.flatMap((request) =>
    request.attemptRecords.map((attempt, index) => ({
      provider: attempt.provider,
      isFailed: attempt.errorCode !== null && (attempt.status === null || attempt.status >= 429),
      isLast: index === request.attemptRecords.length - 1,
    })),
  );
  return [...Map.groupBy(attempts, ({ provider }) => provider)].flatMap(([name, all]) => {
    const failed = all.filter(({ isFailed }) => isFailed);
    const isTold = all.length >= fewestAttempts && failed.length >= fewestFailures;
    if (name === null || !isTold || failed.length / all.length < failingShare) return [];
    const reached = failed.filter(({ isLast }) => isLast).length;
    return [{ name, tried: all.length, failed: failed.length, reached }];
  });
}

interface AttentionProps {
  readonly notices: Notices;
  readonly nowMs: number;
  /** The first steps say already that there is no money yet. */
  readonly isNew: boolean;
}

export function NeedsAttention({ notices, nowMs, isNew }: AttentionProps) {
  const words = useWords(homeWords).attention;
  const { figures } = useSpeech();
  const all = itemsOf(notices, { words, figures, nowMs });
  const items = isNew ? all.filter(({ href }) => href !== balanceHref) : all;
  if (items.length === 0) return null;
  return (
    <section class="section" aria-labelledby="attention-title">
      <h2 id="attention-title">{words.title}</h2>
      <Attention items={items} />
    </section>
  );
}

interface Item {
  readonly tone: 'info' | 'warn' | 'bad';
  readonly title: string;
  readonly detail: Child;
  readonly href: string;
  readonly action: string;
}

interface Telling {
  readonly words: HomeWords['attention'];
  readonly figures: Figures;
  readonly nowMs: number;
}

/** What stops requests first. */
function itemsOf(notices: Notices, telling: Telling): readonly Item[] {
  const all = [
    ...balanceItems(notices, telling),
    ...budgetItems(notices, telling),
    ...keyItems(notices, telling),
    ...otherItems(notices, telling),
  ];
  const order = ['bad', 'warn', 'info'];
  return all.toSorted((one, other) => order.indexOf(one.tone) - order.indexOf(other.tone));
}

function balanceItems({ payment, lowBalance }: Notices, { words, figures, nowMs }: Telling): readonly Item[] {
  if (payment.by !== 'themself') return [];
  const { availableNanoUsd, aDayNanoUsd } = payment;
  const way = { href: balanceHref, action: words.addFunds };
  if (availableNanoUsd <= 0n) {
    const [title = '', detail = ''] = words.empty;
    return [{ tone: 'bad', title, detail, ...way }];
  }
  const atMs = emptyAtMs(payment, nowMs);
  // Little for others is enough for who spends so little that it lasts.
  if (aDayNanoUsd > 0n && (atMs === null || atMs - nowMs > longMs)) return [];
  const isSoon = atMs !== null && atMs - nowMs < 3 * dayMs;
  if (availableNanoUsd >= lowBalance.lowNanoUsd && !isSoon) return [];
  const tone = availableNanoUsd < lowBalance.veryLowNanoUsd || isSoon ? 'warn' : 'info';
  const detail = atMs === null ? words.lowSteady : words.lowDetail(figures.nearDay(new Date(atMs), nowMs));
  return [{ tone, title: words.low(figures.usd(availableNanoUsd)), detail, ...way }];
}

function budgetItems(notices: Notices, { words, figures, nowMs }: Telling): readonly Item[] {
  const { budgets, keyNames, organisation } = notices;
  const nameOf = ({ kind, id }: BudgetSubject): string => {
    if (kind === 'user') return words.yourBudget;
    if (kind === 'department') return words.yourDepartment;
    return (kind === 'key' ? keyNames.get(id) : organisation) ?? words.yourBudget;
  };
  return budgets.map(({ subject, limitNanoUsd, spentNanoUsd, resetsAtMs }) => {
    const isSpent = spentNanoUsd >= limitNanoUsd;
    const sentences = [
      words.budgetDetail(figures.usd(spentNanoUsd), figures.usd(limitNanoUsd)),
      ...(resetsAtMs === null ? [] : [words.budgetUntil(figures.nearDay(new Date(resetsAtMs), nowMs))]),
      ...(isSpent ? [resetsAtMs === null ? words.budgetStopsRaised : words.budgetStops] : []),
    ];
    // Parts of a percent are dropped: what is not used up is not told to be.
    const percent = Number((spentNanoUsd * 100n) / limitNanoUsd) / 100;
    return {
      tone: isSpent ? 'bad' : 'warn',
      title: words.budget(nameOf(subject), figures.percent(percent, 0)),
      detail: sentences.join(' '),
      href: subject.kind === 'key' ? keyAt(subject.id) : wayTo('usage'),
      action: subject.kind === 'key' ? words.seeKey : words.seeUsage,
    };
  });
}

function keyItems({ endingKeys, email }: Notices, { words, nowMs }: Telling): readonly Item[] {
  return endingKeys.map(({ id, name, ownerEmail, expiresAt }) => {
    const isOver = expiresAt.getTime() <= nowMs;
    const moment = <Moment at={expiresAt} nowMs={nowMs} />;
    const owner = ownerEmail === email ? null : ownerEmail;
    return {
      tone: isOver ? 'info' : 'warn',
      title: isOver ? words.keyEnded(name) : words.keyEnds(name),
      detail: isOver ? words.keyEndedDetail(moment, owner) : words.keyEndsDetail(moment, owner),
      href: keyAt(id),
      action: words.seeKey,
    };
  });
}

function otherItems(notices: Notices, { words, figures }: Telling): readonly Item[] {
  const { failing, unpriced, isUnverified, lacksSecondFactor } = notices;
  const settings = '/dashboard/settings';
  const [unverifiedTitle = '', unverifiedDetail = ''] = words.unverified;
  const [factorTitle = '', factorDetail = ''] = words.secondFactor;
  return [
    ...failing.map(
      ({ name, tried, failed, reached }): Item => ({
        tone: reached === 0 ? 'info' : 'warn',
        title: words.providerFails(name, figures.percent(failed / tried, 0)),
        detail: words.providerDetail(failed, tried, reached),
        href: wayTo('requests', { provider: name }),
        action: words.seeRequests,
      }),
    ),
    ...(unpriced.length === 0
      ? []
      : [
          {
            tone: 'info' as const,
            title: words.unpriced(unpriced.length),
            detail: words.unpricedDetail(listOf(unpriced)),
            href: wayTo('models'),
            action: words.seeModels,
          },
        ]),
    ...(isUnverified
      ? [
          {
            ...{ tone: 'warn' as const, title: unverifiedTitle, detail: unverifiedDetail },
            ...{ href: settings, action: words.verify },
          },
        ]
      : []),
    ...(lacksSecondFactor
      ? [
          {
            ...{ tone: 'info' as const, title: factorTitle, detail: factorDetail },
            ...{ href: `${settings}/security`, action: words.addSecondFactor },
          },
        ]
      : []),
  ];
}

const keyAt = (id: number): string => `${wayTo('keys')}/${id}`;

const listOf = (names: readonly string[]): string =>
  names.length <= mostNames ? names.join(', ') : `${names.slice(0, mostNames).join(', ')}, …`;
