/** The provider that needs no key: on the embedded database it is always there, so that a first request works. */
import { type Meter, type ModelDeclaration, type ModelType, readPrice } from '../../catalogue/index.ts';
import type { EnvironmentDeclaration } from './environment-providers.ts';

const name = 'simulator';

/** Listed after real models. */
const lastInDisplay = 1_000_000;

const model = (
  type: ModelType,
  id: string,
  displayOrder: number,
  usdPerMillion: Partial<Record<Meter, string>>,
): ModelDeclaration => ({
  id,
  type,
  ownedBy: 'sluice',
  aliases: [],
  contextWindow: type === 'chat' ? 128_000 : null,
  maxOutputTokens: type === 'chat' ? 16_384 : null,
  capabilities: type === 'chat' ? ['tools'] : [],
  prices: Object.fromEntries(
    Object.entries(usdPerMillion).map(([meter, price]) => [meter, readPrice(price)]),
  ),
  deployments: [{ provider: name, upstreamId: id }],
  displayOrder: lastInDisplay + displayOrder,
});

export const simulatorDeclaration: EnvironmentDeclaration = {
  providers: [{ name, kind: name, baseUrl: null, region: null, timeoutsMs: {}, credentials: [] }],
  models: [
    model('chat', name, 0, { input: '0', cached_input: '0', output: '0' }),
    // With a price, so that one can watch money move without a real provider.
    model('chat', `${name}-priced`, 1, { input: '0.10', cached_input: '0.025', output: '0.40' }),
    model('embedding', `${name}-embedding`, 2, { input: '0' }),
    model('rerank', `${name}-rerank`, 3, { rerank_unit: '0' }),
    model('transcription', `${name}-transcription`, 4, { audio_second: '0' }),
    model('speech', `${name}-speech`, 5, { character: '0' }),
  ],
};
