/** GET /v1/key: what a key is, what it may do, what is left of it, and what it spent today. */
import { writeUsd } from '../../base/money.ts';
import type { Caller } from '../../identity/index.ts';
import type { BudgetState } from '../../ledger/index.ts';
import { describeLimits } from '../../limits/index.ts';
import { chatErrors } from '../../protocols/chat-completions/errors.ts';
import type { Asked, FreeEndpoint } from '../endpoint.ts';
import { topUpUrl } from '../hold.ts';
import type { KeyRecord } from '../key-records.ts';
import type { GatewayServices } from '../services.ts';

/** A key can read itself whatever it may do, so that a status line needs no key of its own. */
export const keyFacts: FreeEndpoint<Asked, null> = {
  kind: 'free',
  method: 'GET',
  path: '/v1/key',
  scopes: ['inference', 'webchat', 'read'],
  isLimited: false,
  errors: chatErrors,
  readRequest: () => ({ model: null, stream: false }),
  findSubject: () => null,
  async answer({ caller, http, services }) {
    const [record, wallet, budgets, ofKey, ofUser] = await Promise.all([
      services.keyRecords.read(caller),
      describeWallet(caller, http, services),
      services.wallets.budgetsOf(caller),
      caller.keyLimits === null ? null : services.limiter.stateOf(caller.keyId, caller.keyLimits),
      caller.userLimits === null ? null : services.limiter.stateOf(caller.userId, caller.userLimits, 'user'),
    ]);
    const body = {
      ...describeKey(caller, record),
      wallet,
      budgets: budgets.map(describeBudget),
      limits: { key: ofKey && describeLimits(ofKey), user: ofUser && describeLimits(ofUser) },
      spend_today: describeSpend(record),
    };
    return { body: JSON.stringify(body) };
  },
};

function describeKey(caller: Caller, { key }: KeyRecord): object {
  const listed = (lock: ReadonlySet<string> | null) => (lock === null ? null : [...lock].toSorted());
  return {
    object: 'key',
    name: caller.keyName,
    prefix: key.tokenPrefix,
    last_four: key.tokenLastFour,
    scopes: [...caller.scopes],
    strict_output: caller.strictOutput,
    rescue: caller.rescue,
    created_at: key.createdAt.toISOString(),
    expires_at: caller.expiresAtMs === null ? null : new Date(caller.expiresAtMs).toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    locks: {
      models: listed(caller.allowedModels),
      providers: listed(caller.allowedProviders),
      regions: listed(caller.allowedRegions),
      data_policy: caller.dataLocks.map(({ level, lock }) => ({ level, ...lock })),
    },
  };
}

/** Null where usage is charged to nobody. */
async function describeWallet(
  { payerId, billingExempt }: Caller,
  http: Request,
  { wallets, settings }: GatewayServices,
): Promise<object | null> {
  if (billingExempt) return null;
  const { balanceNanoUsd, heldNanoUsd, creditLimitNanoUsd } = await wallets.stateOf(payerId);
  return {
    balance: writeUsd(balanceNanoUsd),
    held: writeUsd(heldNanoUsd),
    credit_limit: writeUsd(creditLimitNanoUsd),
    top_up_url: topUpUrl(settings, http),
  };
}

const describeBudget = (budget: BudgetState) => ({
  of: budget.subject.kind,
  period: budget.period,
  limit: writeUsd(budget.limitNanoUsd),
  spent: writeUsd(budget.spentNanoUsd),
  // With processes, for requests under way and the next ones: it is still within what is left.
  held: writeUsd(budget.heldNanoUsd),
  left: writeUsd(budget.limitNanoUsd - budget.spentNanoUsd),
  resets_at: budget.resetsAtMs === null ? null : new Date(budget.resetsAtMs).toISOString(),
});

function describeSpend({ dayFrom, spent, spentByModel }: KeyRecord): object {
  const [whole] = spent.rows;
  return {
    since: dayFrom.toISOString(),
    requests: whole?.requests ?? 0,
    cost: writeUsd(whole?.costNanoUsd ?? 0n),
    charged: writeUsd(whole?.chargedNanoUsd ?? 0n),
    models: spentByModel.rows.map((sums) => ({
      model: sums.group,
      requests: sums.requests,
      input_tokens:
        sums.inputTokens + sums.cacheReadTokens + sums.cacheWrite5mTokens + sums.cacheWrite1hTokens,
      output_tokens: sums.outputTokens,
      cost: writeUsd(sums.costNanoUsd),
    })),
    has_more: spentByModel.hasMore,
  };
}
