/** ElevenLabs: transcriptions and speech. */
import { elevenlabsSpeech } from '../../protocols/speech/elevenlabs.ts';
import { elevenlabsTranscription } from '../../protocols/transcription/elevenlabs.ts';
import { baseUrlOf, type ProviderAdapter, type ProviderTarget } from '../provider.ts';

const place = { defaultBaseUrl: 'https://api.elevenlabs.io/v1' };

/** The voice of the vendor's own examples. */
const speech = elevenlabsSpeech({ defaultVoice: 'JBFqnCBsd6RMkjVDRZzb' });

export const elevenlabs: ProviderAdapter = {
  kind: 'elevenlabs',
  ...place,
  needsCredential: true,
  supports: () => ({
    transcription: {
      protocol: elevenlabsTranscription,
      address: ({ target }) => ({
        url: `${baseUrlOf(target, place)}/speech-to-text`,
        headers: { ...headersFor(target), accept: 'application/json' },
      }),
    },
    speech: {
      protocol: speech,
      address: ({ target }) => ({
        url: `${baseUrlOf(target, place)}/text-to-speech`,
        headers: { ...headersFor(target), 'content-type': 'application/json' },
      }),
    },
  }),
};

function headersFor(target: ProviderTarget) {
  return { 'xi-api-key': target.secret ?? '', 'user-agent': 'sluice' };
}
