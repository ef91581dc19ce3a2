/** The configuration file that Sluice is measured with: one owner with a full wallet, one key, one priced model. */
import { stringify } from 'yaml';
import { benchModel } from '../load/question.ts';

/** USD per million tokens. */
const prices = { input: 0.15, cached_input: 0.075, output: 0.6 };

export function writeSluiceConfiguration({
  token,
  upstreamPort,
}: {
  token: string;
  upstreamPort: number;
}): string {
  const owner = 'bench@example.test';
  return stringify({
    users: [{ email: owner, password: crypto.randomUUID(), role: 'platform_owner', wallet_usd: 100_000 }],
    providers: [
      {
        name: 'double',
        kind: 'openai',
        base_url: `http://127.0.0.1:${upstreamPort}/v1`,
        credentials: [{ name: 'first', api_key: 'upstream-key' }],
      },
    ],
    models: [
      {
        id: benchModel,
        type: 'chat',
        owned_by: 'bench',
        context_window: 128_000,
        max_output_tokens: 16_384,
        prices,
        providers: [{ provider: 'double', upstream_id: benchModel }],
      },
    ],
    keys: [{ name: 'bench', owner, token }],
  });
}

/** In nano-USD: a price per million tokens in USD is a thousand times as many nano-USD a token. */
export function priceOf(tokens: { promptTokens: number; completionTokens: number }): bigint {
  const inputNanoUsd = BigInt(Math.round(prices.input * 1000));
  const outputNanoUsd = BigInt(Math.round(prices.output * 1000));
  return BigInt(tokens.promptTokens) * inputNanoUsd + BigInt(tokens.completionTokens) * outputNanoUsd;
}
