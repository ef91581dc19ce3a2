/** Anthropic and hosts that speak its messages protocol. */
import { messagesUpstream } from '../../protocols/messages/protocol.ts';
import type { ProviderAdapter, ProviderTarget, UpstreamRequest } from '../provider.ts';

/** The version that the protocol's readers and writers here are made for. */
const version = '2023-06-01';

export const anthropic: ProviderAdapter = {
  kind: 'anthropic',
  needs: { baseUrl: true, credential: true },
  chat: { protocol: messagesUpstream, address: addressMessages },
};

/** The base URL ends in `/v1`. A client that speaks the same protocol chooses its version and betas itself. */
function addressMessages(
  target: ProviderTarget,
  body: string,
  forwarded: Readonly<Record<string, string>> = {},
): UpstreamRequest {
  return {
    url: `${(target.baseUrl ?? '').replace(/\/+$/, '')}/messages`,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'user-agent': 'sluice',
      'anthropic-version': version,
      ...forwarded,
      'x-api-key': target.secret ?? '',
    },
    body,
  };
}
