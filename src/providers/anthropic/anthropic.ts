/** Anthropic and hosts that speak its messages protocol. */

import { messagesUpstream } from '../../protocols/messages/protocol.ts';
import { anthropicMembers } from '../closed-members.ts';
import {
  baseUrlOf,
  jsonHeaders,
  type ProviderAdapter,
  probeList,
  probeModel,
  probeTask,
  type UpstreamAddress,
  type UpstreamTask,
  withVersion,
} from '../provider.ts';
import { messagesCount } from './count.ts';

/** The version that the protocol's readers and writers here are made for. */
const version = '2023-06-01';
/** Its own clients take an address without the version, those of other hosts one with it. */
const place = {
  defaultBaseUrl: 'https://api.anthropic.com/v1',
  complete: withVersion('v1'),
};

export const anthropic: ProviderAdapter = {
  kind: 'anthropic',
  defaultBaseUrl: place.defaultBaseUrl,
  needsCredential: true,
  probes(target, model) {
    const list = probeList(addressOf(probeTask(target), '/models'));
    if (model?.type !== 'chat') return [list];
    const messages = [{ role: 'user', content: 'Hi' }];
    const body = { model: model.upstreamId, max_tokens: 1, messages };
    // Hosts that speak the protocol often have no list in it.
    return [list, probeModel(addressOf(probeTask(target), '/messages'), model, body)];
  },
  closedMembers: anthropicMembers,
  supports: () => ({
    chat: [{ protocol: messagesUpstream, address: (task) => addressOf(task, '/messages') }],
    countTokens: {
      protocol: messagesCount,
      address: (task) => addressOf(task, '/messages/count_tokens'),
    },
  }),
};

/** A client that speaks the same protocol chooses its version and betas itself. */
function addressOf({ target, forwarded }: UpstreamTask, path: string): UpstreamAddress {
  return {
    url: `${baseUrlOf(target, place)}${path}`,
    headers: {
      ...jsonHeaders,
      'anthropic-version': version,
      ...forwarded,
      'x-api-key': target.secret ?? '',
    },
  };
}
