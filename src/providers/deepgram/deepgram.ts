/** Deepgram: transcriptions and speech. */
import { probeList, probeTask } from '../provider.ts';
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
  // Its list of models is there for everybody, also for who has no key.
  probes: (at, target) => [
    probeList(at('/auth/token')(probeTask(target)), 'what the key is for, which is free'),
  ],
  supports: (at) => ({
    transcription: { protocol: deepgramTranscription, address: at('/listen') },
    speech: { protocol: deepgramSpeech, address: addressSpeech('/speak') },
  }),
});
