/** Speech at OpenAI and hosts that offer the same endpoint. */
import { readChatComplaint } from '../chat-completions/errors.ts';
import {
  requireFormat,
  type SpeechCall,
  type SpeechFormat,
  type SpeechRequest,
  type SpeechUpstream,
} from './speech.ts';

export interface OpenAiSpeechHost {
  /** For requests that name none; null where the host chooses itself. */
  readonly defaultVoice: string | null;
  readonly formats: readonly SpeechFormat[];
}

const openaiItself: OpenAiSpeechHost = { defaultVoice: 'alloy', formats: ['mp3', 'wav'] };

export function openaiSpeech(host: OpenAiSpeechHost = openaiItself): SpeechUpstream {
  return {
    name: 'openai',
    formats: host.formats,
    writeRequest: (request, model) => writeRequest(request, model, host),
    readComplaint: readChatComplaint,
  };
}

/** The caller speaks the same protocol: fields that nobody here knows go along, those for the gateway alone do not. */
function writeRequest(request: SpeechRequest, model: string, host: OpenAiSpeechHost): SpeechCall {
  requireFormat(request, host.formats);
  // Null is how clients leave a field out; not every host takes it.
  const given = Object.entries(request.json).filter(([name, value]) => value !== null && name !== 'metadata');
  const voice = request.voice ?? host.defaultVoice;
  const body = {
    ...Object.fromEntries(given),
    model,
    ...(voice === null ? {} : { voice }),
    response_format: request.format,
  };
  return { path: '', body: JSON.stringify(body) };
}
