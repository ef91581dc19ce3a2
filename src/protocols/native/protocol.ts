/** The native protocol: responses as the service behind it speaks them, sent as they came, the model included. */
import type { ClientProtocol, PassingProtocol } from '../protocol.ts';
import { responsesPassthrough } from '../responses/passthrough.ts';
import { responsesClient, responsesUpstream } from '../responses/protocol.ts';
import type { Translator } from '../translator.ts';

const name = 'native';

const nativePassthrough: Translator = { ...responsesPassthrough, writeRequest: ({ text }) => text };

export const nativeUpstream: PassingProtocol = {
  ...responsesUpstream,
  name,
  passthrough: nativePassthrough,
};

export const nativeClient: ClientProtocol = { ...responsesClient(), name };
