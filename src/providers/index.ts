/** The registry: every kind of provider, by name. */
import { openai } from './openai/openai.ts';
import type { ProviderAdapter } from './provider.ts';
import { simulator } from './simulator/simulator.ts';

const adapters: readonly ProviderAdapter[] = [openai, simulator];

export const providerAdapters: ReadonlyMap<string, ProviderAdapter> = new Map(
  adapters.map((adapter) => [adapter.kind, adapter]),
);

export type { ChatSupport, ProviderAdapter, UpstreamRequest } from './provider.ts';
