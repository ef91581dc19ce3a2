/** The registry: every kind of provider, by name. */
import { anthropic } from './anthropic/anthropic.ts';
import { openai } from './openai/openai.ts';
import type { ProviderAdapter } from './provider.ts';
import { simulator } from './simulator/simulator.ts';

const adapters: readonly ProviderAdapter[] = [openai, anthropic, simulator];

export const providerAdapters: ReadonlyMap<string, ProviderAdapter> = new Map(
  adapters.map((adapter) => [adapter.kind, adapter]),
);

export type { ProviderAdapter, UpstreamRequest } from './provider.ts';
