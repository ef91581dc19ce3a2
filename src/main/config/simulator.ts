/** The provider that needs no key: on the embedded database it is always there, so that a first request works. */
import { type ModelDeclaration, readPrice } from '../../catalogue/index.ts';
import type { EnvironmentDeclaration } from './environment-providers.ts';

const name = 'simulator';

/** Listed after real models. */
const lastInDisplay = 1_000_000;

const model = (
  id: string,
  displayOrder: number,
  usdPerMillion: { input: string; cachedInput: string; output: string },
): ModelDeclaration => ({
  id,
  type: 'chat',
  ownedBy: 'sluice',
  aliases: [],
  contextWindow: 128_000,
  maxOutputTokens: 16_384,
  capabilities: ['tools'],
  prices: {
    input: readPrice(usdPerMillion.input),
    cached_input: readPrice(usdPerMillion.cachedInput),
    output: readPrice(usdPerMillion.output),
  },
  deployments: [{ provider: name, upstreamId: id }],
  displayOrder,
});

export const simulatorDeclaration: EnvironmentDeclaration = {
  providers: [{ name, kind: name, baseUrl: null, region: null, timeoutsMs: {}, credentials: [] }],
  models: [
    model(name, lastInDisplay, { input: '0', cachedInput: '0', output: '0' }),
    // With a price, so that one can watch money move without a real provider.
    model(`${name}-priced`, lastInDisplay + 1, { input: '0.10', cachedInput: '0.025', output: '0.40' }),
  ],
};
