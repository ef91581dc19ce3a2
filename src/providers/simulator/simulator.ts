/** A provider that needs no network: it answers deterministically and says that it is a simulation. */
import { chatUpstream } from '../../protocols/chat-completions/protocol.ts';
import type { ProviderAdapter, UpstreamRequest } from '../provider.ts';
import { simulateChat } from './chat.ts';

export const simulator: ProviderAdapter = {
  kind: 'simulator',
  needs: { baseUrl: false, credential: false },
  chat: {
    protocol: chatUpstream(),
    address: (_target, body) => ({ url: 'simulator:chat/completions', headers: {}, body }),
  },
  answer: async (request: UpstreamRequest, signal: AbortSignal) =>
    simulateChat(JSON.parse(request.body), signal),
};
