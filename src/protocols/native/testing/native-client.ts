/** The native protocol as its clients speak it. The gateway passes their requests on and never converts them; the laws of streams do. */
import type { ClientProtocol } from '../../protocol.ts';
import { responsesClient } from '../../responses/protocol.ts';
import { nativeUpstream } from '../protocol.ts';

export const nativeClient: ClientProtocol = { ...responsesClient(), name: nativeUpstream.name };
