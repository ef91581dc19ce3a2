/** ElevenLabs: transcriptions and speech. */
import { addressesOf, type VendorPlace, vendorAdapter } from '../vendor-adapter.ts';
import { elevenlabsSpeech } from './speech.ts';
import { elevenlabsTranscription } from './transcription.ts';

/** A transcription is asked for with a form, so its content type is told with each upload. */
const place: VendorPlace = {
  baseUrl: 'https://api.elevenlabs.io/v1',
  showCredential: (secret) => ({ 'xi-api-key': secret }),
  headers: { 'user-agent': 'sluice', accept: 'application/json' },
};

const addressSpeech = addressesOf({
  ...place,
  headers: { 'user-agent': 'sluice', 'content-type': 'application/json' },
});

export const elevenlabs = vendorAdapter({
  kind: 'elevenlabs',
  ...place,
  supports: (at) => ({
    transcription: { protocol: elevenlabsTranscription, address: at('/speech-to-text') },
    speech: { protocol: elevenlabsSpeech, address: addressSpeech('/text-to-speech') },
  }),
});
