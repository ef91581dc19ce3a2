/**
 * The shipped list of well-known models and what their providers asked for them on the list's date. Prices move:
 * check them before charging anyone; a row without a source was not found on any page when the list was dated, and is
 * to be checked first. Where a provider asks more at some hours, or for one of two versions of a tool, the
 * list has the higher price. Where a provider bills the tokens of sound and says what a minute of it comes to, the list
 * has the minute. A container of Anthropic's has the price of five minutes, the least that is billed.
 */
import { z } from 'zod';
import type { ModelDeclaration } from './declaration.ts';
import { capabilities, meters, modelTypes, type Prices } from './model.ts';
import { readPrice } from './price.ts';
import listed from './price-list.json' with { type: 'json' };

const price = z.string().transform(readPrice);

const entry = z.strictObject({
  id: z.string(),
  /** What the provider calls it, when the public id is another because several hosts offer the same model. */
  upstreamId: z.string().optional(),
  type: z.enum(modelTypes).default('chat'),
  ownedBy: z.string(),
  /** Left out where nothing is counted in tokens. */
  contextWindow: z.int().positive().nullable().default(null),
  /** Null where the provider publishes no limit of its own. */
  maxOutputTokens: z.int().positive().nullable().default(null),
  capabilities: z.array(z.enum(capabilities)).default([]),
  usdPerMillion: z.partialRecord(z.enum(meters), price),
  /** The page that the row's own prices were compared with on the list's date; null where none was found to say them. */
  source: z.url().nullable(),
});

const list = z
  .strictObject({
    date: z.iso.date(),
    currency: z.literal('USD'),
    /** Where what a provider charges beside plain tokens was read. */
    sources: z.record(z.string(), z.array(z.url())),
    providers: z.record(z.string(), z.array(entry)),
  })
  .parse(listed);

/** The day on which the prices were looked up, as `2026-01-31`. */
export const priceListDate: string = list.date;

/** The well-known models of a provider, served by the provider of that name; none for a name that is not listed. */
export function listedModels(provider: string): readonly Omit<ModelDeclaration, 'displayOrder'>[] {
  return (list.providers[provider] ?? []).map((model) => ({
    id: model.id,
    type: model.type,
    ownedBy: model.ownedBy,
    aliases: [],
    contextWindow: model.contextWindow,
    maxOutputTokens: model.maxOutputTokens,
    capabilities: model.capabilities,
    prices: model.usdPerMillion satisfies Prices,
    deployments: [{ provider, upstreamId: model.upstreamId ?? model.id }],
  }));
}
