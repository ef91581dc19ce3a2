/** GET /v1/generation/{id}: what a request used and what it costs, line by line, for the key or the owner that sent it. */
import { AppError } from '../../base/errors.ts';
import { writeAttoUsd, writeUsd } from '../../base/money.ts';
import { onlyOf } from '../../base/scope.ts';
import { lineItems, type PriceVersion } from '../../catalogue/index.ts';
import { chatErrors } from '../../protocols/chat-completions/errors.ts';
import type { StoredAttempt, StoredUsageRecord, UsageRecord } from '../../usage/index.ts';
import type { Asked, FreeEndpoint, Question } from '../endpoint.ts';

interface Ask extends Asked {
  readonly id: string;
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const generation: FreeEndpoint<Ask, string> = {
  kind: 'free',
  method: 'GET',
  path: '/v1/generation/:id',
  scopes: ['read', 'inference', 'webchat'],
  isLimited: false,
  errors: chatErrors,
  readRequest: ({ parameters }) => ({ model: null, stream: false, id: parameters['id'] ?? '' }),
  findSubject: ({ id }) => {
    if (uuid.test(id)) return id.toLowerCase();
    throw unknownRequest();
  },
  async answer(question) {
    const record = await findRecord(question);
    const { priceVersionId } = record;
    const { catalogue } = question.services;
    const version = priceVersionId === null ? null : await catalogue.findPriceVersion(priceVersionId);
    return { body: JSON.stringify(writeGeneration(record, version)) };
  },
};

/**
 * A request that ended a moment ago is still on its way to the database: it is told from memory by the process that
 * served it, so that nobody's question makes a batch smaller. Other processes know it a tenth of a second later.
 */
async function findRecord({ subject: id, caller, services }: Question<Ask, string>): Promise<Told> {
  const waiting = services.settlement.find(id);
  if (waiting !== undefined && waiting.userId === caller.userId) return waiting;
  const stored = waiting === undefined ? await services.findUsage(onlyOf(caller.userId), id) : undefined;
  if (stored === undefined) throw unknownRequest();
  const { attemptRecords, ...record } = stored;
  return { ...record, attempts: attemptRecords };
}

interface Told
  extends Omit<UsageRecord, 'outcome' | 'attempts'>,
    Pick<StoredUsageRecord, 'outcome' | 'rerated'> {
  readonly attempts: readonly StoredAttempt[];
}

const unknownRequest = () =>
  new AppError({
    code: 'not_found',
    public:
      'No request of this account has this id, which is the x-request-id of its answer; or it has not ended yet: a request is known a moment after its answer.',
    retryAfterSeconds: 1,
  });

function writeGeneration(record: Told, version: PriceVersion | null): object {
  return {
    id: record.requestId,
    object: 'generation',
    created_at: record.startedAt.toISOString(),
    endpoint: record.endpoint,
    model: record.model,
    provider: record.provider,
    upstream_model: record.upstreamModel,
    streamed: record.streamed,
    status: record.status,
    outcome: record.outcome,
    error: record.errorCode,
    duration_ms: record.durationMs,
    first_byte_ms: record.firstByteMs,
    overhead_ms: record.overheadMs,
    attempts: record.attempts.map(({ provider, model, status, latencyMs, errorCode, why, pausedMs }) => ({
      ...{ provider, status, latency_ms: latencyMs, error: errorCode },
      ...(pausedMs === undefined ? undefined : { paused_ms: pausedMs }),
      ...(why === undefined ? undefined : { why }),
      ...(model === undefined ? undefined : { model }),
    })),
    session_id: record.labels?.sessionId ?? null,
    user: record.labels?.endUser ?? null,
    tags: record.labels?.tags ?? [],
    usage: writeUsage(record),
    price_version: version === null ? null : writeVersion(version),
    line_items: version?.prices == null ? null : lineItems(version.prices, record).map(writeLine),
    cost_usd: writeUsd(record.costNanoUsd),
    charged_usd: writeUsd(record.chargedNanoUsd),
    rerated: record.rerated === undefined ? null : writeFirstRating(record.rerated),
  };
}

/** What it cost before it was rated by the prices that are told now. */
const writeFirstRating = ({ at, ...first }: NonNullable<Told['rerated']>) => ({
  at: at.toISOString(),
  cost_usd_before: writeUsd(first.costNanoUsd),
  charged_usd_before: writeUsd(first.chargedNanoUsd),
});

function writeUsage({ extras = {}, ...record }: Told): object {
  const { tier = null, ...others } = extras;
  return {
    input_tokens: record.inputTokens,
    cached_input_tokens: record.cacheReadTokens,
    cache_write_5m_tokens: record.cacheWrite5mTokens,
    cache_write_1h_tokens: record.cacheWrite1hTokens,
    output_tokens: record.outputTokens,
    reasoning_tokens: record.reasoningTokens,
    audio_seconds: record.audioMs / 1000,
    characters: record.characters,
    rerank_units: record.rerankUnits,
    ...others,
    service_tier: tier,
    estimated: record.estimated,
  };
}

/** The first version of a model has no beginning. */
const writeVersion = ({ id, fromMs }: PriceVersion) => ({
  id,
  effective_from: fromMs === 0 ? null : new Date(fromMs).toISOString(),
});

const writeLine = (line: ReturnType<typeof lineItems>[number]) => ({
  meter: line.meter,
  quantity: line.quantity,
  unit: line.unit,
  priced_as: line.pricedAs,
  usd_per_million: writeUsd(line.nanoUsdPerMillion),
  amount_usd: writeAttoUsd(line.amountAttoUsd),
});
