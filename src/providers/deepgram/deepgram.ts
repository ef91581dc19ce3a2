/** Deepgram: transcriptions and speech. */
import { deepgramSpeech } from '../../protocols/speech/deepgram.ts';
import { deepgramTranscription } from '../../protocols/transcription/deepgram.ts';
import { baseUrlOf, type ProviderAdapter, type ProviderTarget } from '../provider.ts';

const place = { defaultBaseUrl: 'https://api.deepgram.com/v1' };

const speech = deepgramSpeech({ defaultVoice: 'thalia-en' });

export const deepgram: ProviderAdapter = {
  kind: 'deepgram',
  ...place,
  needsCredential: true,
  supports: () => ({
    transcription: {
      protocol: deepgramTranscription,
      address: ({ target }) => ({
        url: `${baseUrlOf(target, place)}/listen`,
        headers: { ...headersFor(target), accept: 'application/json' },
      }),
    },
    speech: {
      protocol: speech,
      address: ({ target }) => ({
        url: `${baseUrlOf(target, place)}/speak`,
        headers: { ...headersFor(target), 'content-type': 'application/json' },
      }),
    },
  }),
};

function headersFor(target: ProviderTarget) {
  return { authorization: `Token ${target.secret ?? ''}`, 'user-agent': 'sluice' };
}
