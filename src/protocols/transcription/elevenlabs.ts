/** Transcriptions at ElevenLabs. */
import { asFilledText, asObject, asObjects, asText } from '../json/fields.ts';
import { ComplaintError, UnreadableAnswerError } from '../translator.ts';
import { elevenlabsComplaintIn, readElevenlabsComplaint } from './elevenlabs-complaint.ts';
import { joinWords } from './join-words.ts';
import { writeForm } from './multipart/write-form.ts';
import { readSecondsAsMs, readSpans } from './read-spans.ts';
import type { TranscriptionAnswer, TranscriptionRequest, TranscriptionUpstream } from './transcription.ts';

export const elevenlabsTranscription: TranscriptionUpstream = {
  name: 'elevenlabs',
  writeRequest,
  readAnswer,
  readComplaint: readElevenlabsComplaint,
};

function writeRequest(request: TranscriptionRequest, model: string) {
  return writeForm(
    [
      ['model_id', model],
      ['language_code', request.language],
      ['temperature', request.temperature?.toString()],
      ['timestamps_granularity', 'word'],
      // Otherwise laughter and the like stand between the words, which no other upstream writes.
      ['tag_audio_events', 'false'],
    ],
    request.file,
  );
}

function readAnswer(json: unknown): TranscriptionAnswer {
  const complaint = elevenlabsComplaintIn(json);
  if (complaint !== null) throw new ComplaintError(complaint);
  const body = asObject(json);
  const text = asText(body?.['text']);
  if (body === undefined || text === undefined) {
    throw new UnreadableAnswerError('a transcription without text');
  }
  const words = readSpans(
    asObjects(body['words']).filter(({ type }) => type === 'word'),
    'text',
  );
  return {
    text,
    language: asFilledText(body['language_code']),
    durationMs: readSecondsAsMs(body['audio_duration_secs']),
    segments: joinWords(words),
    words,
    tokens: null,
  };
}
