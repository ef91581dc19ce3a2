/** Deepgram: transcriptions and speech. */
import { addressesOf, type VendorPlace, vendorAdapter } from '../vendor-adapter.ts';
import { deepgramSpeech } from './speech.ts';
import { deepgramTranscription } from './transcription.ts';

/** The audio is the body of a transcription, so its content type is told with each upload. */
const place: VendorPlace = {
  baseUrl: 'https://api.deepgram.com/v1',
  showCredential: (secret) => ({ authorization: `Token ${secret}` }),
  headers: { 'user-agent': 'sluice', accept: 'application/json' },
};

const addressSpeech = addressesOf({
  ...place,
  headers: { 'user-agent': 'sluice', 'content-type': 'application/json' },
});

export const deepgram = vendorAdapter({
  kind: 'deepgram',
  ...place,
  supports: (at) => ({
    transcription: { protocol: deepgramTranscription, address: at('/listen') },
    speech: { protocol: deepgramSpeech, address: addressSpeech('/speak') },
  }),
});
