/**
 * Services that are bound to a person's account behind OAuth and speak the Responses protocol. The body is the
 * caller's; the credential, and what identifies its account, are ours.
 */
import { nativeUpstream } from '../../protocols/native/protocol.ts';
import { baseUrlOf, type ProviderAdapter, type UpstreamAddress, type UpstreamTask } from '../provider.ts';
import {
  checkCredential,
  isRefusedForGood,
  readExpiryMs,
  readNativeSettings,
  readOAuthSecret,
  renewToken,
} from './oauth.ts';

export const native: ProviderAdapter = {
  kind: 'native',
  defaultBaseUrl: null,
  needsCredential: true,
  checkSettings: (settings) => void readNativeSettings(settings),
  checkCredential,
  supports: () => ({ native: { protocol: nativeUpstream, address } }),
  oauth: {
    expiresAtMs(secret) {
      const credential = readOAuthSecret(secret);
      return credential === null ? null : readExpiryMs(credential);
    },
    isFinal: isRefusedForGood,
    renew: (secret, settings, means) => renewToken(secret, readNativeSettings(settings), means),
  },
};

/** The base URL is what stands before `/responses`. */
function address({ target, forwarded }: UpstreamTask): UpstreamAddress {
  const settings = readNativeSettings(target.settings);
  const credential = readOAuthSecret(target.secret ?? '');
  return {
    url: `${baseUrlOf(target, native)}/responses`,
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      'user-agent': 'sluice',
      ...forwarded,
      ...settings.headers,
      ...(credential?.account_id === undefined ? {} : { [settings.account_header]: credential.account_id }),
      authorization: `Bearer ${credential?.access_token ?? ''}`,
    },
  };
}
