/** OpenAI and every host with a compatible base URL. */
import { chatUpstream } from '../../protocols/chat-completions/protocol.ts';
import type { ProviderAdapter, ProviderTarget, UpstreamRequest } from '../provider.ts';

export const openai: ProviderAdapter = {
  kind: 'openai',
  needs: { baseUrl: true, credential: false },
  chat: { protocol: chatUpstream(), address: addressChat },
};

function addressChat(target: ProviderTarget, body: string): UpstreamRequest {
  return {
    url: `${(target.baseUrl ?? '').replace(/\/+$/, '')}/chat/completions`,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'user-agent': 'sluice',
      ...(target.secret === null ? {} : { authorization: `Bearer ${target.secret}` }),
    },
    body,
  };
}
