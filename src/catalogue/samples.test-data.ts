/** A provider and a model that are right, for tests to vary. */
import type { ModelDeclaration, ProviderDeclaration } from './declaration.ts';

export const sampleProvider = (changes: Partial<ProviderDeclaration> = {}): ProviderDeclaration => ({
  name: 'main',
  kind: 'openai',
  baseUrl: 'https://upstream.test/v1',
  region: 'eu',
  timeoutsMs: {},
  credentials: [{ name: 'k1', secret: 'secret-one' }],
  ...changes,
});

export const sampleModel = (changes: Partial<ModelDeclaration> = {}): ModelDeclaration => ({
  id: 'gpt-4o-mini',
  type: 'chat',
  ownedBy: 'openai',
  aliases: ['mini'],
  contextWindow: 128_000,
  maxOutputTokens: 16_384,
  capabilities: ['tools', 'vision'],
  prices: { input: 150_000_000n, cached_input: 75_000_000n, output: 600_000_000n },
  deployments: [{ provider: 'main', upstreamId: 'gpt-4o-mini-2024-07-18' }],
  displayOrder: 0,
  ...changes,
});
