/** Anthropic and hosts that speak its messages protocol. */

import { messagesUpstream } from '../../protocols/messages/protocol.ts';
import {
  baseUrlOf,
  jsonHeaders,
  type ProviderAdapter,
  type UpstreamAddress,
  type UpstreamTask,
} from '../provider.ts';
import { messagesCount } from './count.ts';

/** The version that the protocol's readers and writers here are made for. */
const version = '2023-06-01';
const defaultBaseUrl = 'https://api.anthropic.com/v1';

export const anthropic: ProviderAdapter = {
  kind: 'anthropic',
  defaultBaseUrl,
  needsCredential: true,
  supports: () => ({
    chat: [{ protocol: messagesUpstream, address: (task) => addressOf(task, '/messages') }],
    countTokens: {
      protocol: messagesCount,
      address: (task) => addressOf(task, '/messages/count_tokens'),
    },
  }),
};

/** The base URL ends in `/v1`. A client that speaks the same protocol chooses its version and betas itself. */
function addressOf({ target, forwarded }: UpstreamTask, path: string): UpstreamAddress {
  return {
    url: `${baseUrlOf(target, { defaultBaseUrl })}${path}`,
    headers: {
      ...jsonHeaders,
      'anthropic-version': version,
      ...forwarded,
      'x-api-key': target.secret ?? '',
    },
  };
}
