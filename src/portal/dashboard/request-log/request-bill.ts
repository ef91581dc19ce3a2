/** What a request cost, line by line, by the prices that held when it began; and the request as JSON. */
import { writeAttoUsd, writeUsd } from '../../../base/money.ts';
import { type LineItem, lineItems } from '../../../catalogue/index.ts';
import type { StoredUsageRecord } from '../../../usage/index.ts';
import type { PortalServices } from '../../services.ts';

export interface Bill {
  /** Null where the price of that time is not known any more, or never was. */
  readonly lines: readonly LineItem[] | null;
  /** Whether something was priced at all. */
  readonly isPriced: boolean;
}

export async function billOf(
  record: StoredUsageRecord,
  { catalogue }: Pick<PortalServices, 'catalogue'>,
): Promise<Bill> {
  if (record.priceVersionId === null) return { lines: null, isPriced: record.costNanoUsd > 0n };
  const version = await catalogue.findPriceVersion(record.priceVersionId);
  const prices = version?.prices ?? null;
  return { lines: prices === null ? null : lineItems(prices, record), isPriced: true };
}

/** Under the names of the CSV and of `GET /v1/generation/{id}`. */
export function writeRequest(record: StoredUsageRecord, { lines }: Bill): Readonly<Record<string, unknown>> {
  const { labels } = record;
  return {
    request_id: record.requestId,
    started_at: record.startedAt.toISOString(),
    endpoint: record.endpoint,
    model: record.model,
    provider: record.provider,
    upstream_model: record.upstreamModel,
    streamed: record.streamed,
    status: record.status,
    outcome: record.outcome,
    error: record.errorCode,
    ...{ organisation_id: record.organisationId, department_id: record.departmentId },
    ...{ project_id: record.projectId, user_id: record.userId, key_id: record.keyId },
    session_id: labels?.sessionId ?? null,
    end_user: labels?.endUser ?? null,
    tags: labels?.tags ?? [],
    ...{ duration_ms: record.durationMs, first_byte_ms: record.firstByteMs, overhead_ms: record.overheadMs },
    attempts: record.attemptRecords.map(
      ({ provider, status, latencyMs, errorCode, why, passed, pausedMs }) => ({
        ...{ provider, status, latency_ms: latencyMs, error: errorCode },
        ...(pausedMs === undefined ? undefined : { paused_ms: pausedMs }),
        ...(why === undefined ? undefined : { why }),
        ...(passed === undefined
          ? undefined
          : { passed: passed.map((each) => ({ provider: each.provider, why: each.why })) }),
      }),
    ),
    usage: {
      ...{ input_tokens: record.inputTokens, cache_read_tokens: record.cacheReadTokens },
      ...{
        cache_write_5m_tokens: record.cacheWrite5mTokens,
        cache_write_1h_tokens: record.cacheWrite1hTokens,
      },
      ...{ output_tokens: record.outputTokens, reasoning_tokens: record.reasoningTokens },
      ...{ audio_ms: record.audioMs, characters: record.characters, rerank_units: record.rerankUnits },
      ...(record.extras === undefined ? {} : { extras: record.extras }),
      estimated: record.estimated,
    },
    cost_usd: writeUsd(record.costNanoUsd),
    charged_usd: writeUsd(record.chargedNanoUsd),
    lines:
      lines?.map(({ meter, quantity, unit, pricedAs, nanoUsdPerMillion, amountAttoUsd }) => ({
        ...{ meter, quantity, unit, priced_as: pricedAs },
        usd_per_million: writeUsd(nanoUsdPerMillion),
        amount_usd: writeAttoUsd(amountAttoUsd),
      })) ?? null,
  };
}
