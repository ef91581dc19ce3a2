/** The configuration file that Sluice is measured with: one owner with a full wallet, one key, one model a protocol. */
import { stringify } from 'yaml';
import { benchModels, type ProtocolName, protocolNames } from '../load/question.ts';

/** The upstream answers in all of these protocols, and is one provider for each. */
export const providers: Readonly<Record<ProtocolName, { name: string; kind: string }>> = {
  chat: { name: 'double-chat', kind: 'openai' },
  messages: { name: 'double-messages', kind: 'anthropic' },
};

/** USD per million tokens, of every model. */
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
    providers: protocolNames.map((protocol) => ({
      ...providers[protocol],
      base_url: `http://127.0.0.1:${upstreamPort}/v1`,
      credentials: [{ name: 'first', api_key: 'upstream-key' }],
    })),
    models: protocolNames.map((protocol) => ({
      id: benchModels[protocol],
      type: 'chat',
      owned_by: 'bench',
      context_window: 128_000,
      max_output_tokens: 16_384,
      prices,
      providers: [{ provider: providers[protocol].name, upstream_id: benchModels[protocol] }],
    })),
    keys: [{ name: 'bench', owner, token }],
  });
}

/** In nano-USD: a price per million tokens in USD is a thousand times as many nano-USD a token. */
export function priceOf(tokens: { promptTokens: number; completionTokens: number }): bigint {
  const inputNanoUsd = BigInt(Math.round(prices.input * 1000));
  const outputNanoUsd = BigInt(Math.round(prices.output * 1000));
  return BigInt(tokens.promptTokens) * inputNanoUsd + BigInt(tokens.completionTokens) * outputNanoUsd;
}
