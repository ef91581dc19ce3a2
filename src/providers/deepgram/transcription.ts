/** Transcriptions at Deepgram: the audio is the body, everything else stands in the query. */
import { contentTypes } from '../../protocols/audio-file/audio-file.ts';
import { asFilledText, asObject, asObjects, asText } from '../../protocols/json/fields.ts';
import type {
  TranscriptionAnswer,
  TranscriptionBody,
  TranscriptionRequest,
  TranscriptionUpstream,
} from '../../protocols/transcription/transcription.ts';
import { readSecondsAsMs, readSpans } from '../../protocols/transcription/wire.ts';
import { ComplaintError, UnreadableAnswerError } from '../../protocols/translator.ts';
import { deepgramComplaintIn, readDeepgramComplaint } from './complaint.ts';

export const deepgramTranscription: TranscriptionUpstream = {
  name: 'deepgram',
  writeRequest,
  readAnswer,
  readComplaint: readDeepgramComplaint,
};

function writeRequest({ file, language }: TranscriptionRequest, model: string): TranscriptionBody {
  const query = new URLSearchParams({
    model,
    // Punctuation and capitals, which other upstreams write unasked.
    smart_format: 'true',
    // Segments with their times.
    utterances: 'true',
    ...(language === undefined ? { detect_language: 'true' } : { language }),
  });
  return { contentType: contentTypes[file.container], parts: [file.bytes], query: query.toString() };
}

function readAnswer(json: unknown): TranscriptionAnswer {
  const complaint = deepgramComplaintIn(json);
  if (complaint !== null) throw new ComplaintError(complaint);
  const body = asObject(json);
  const results = asObject(body?.['results']);
  const [channel] = asObjects(results?.['channels']);
  const [alternative] = asObjects(channel?.['alternatives']);
  const text = asText(alternative?.['transcript']);
  if (text === undefined) throw new UnreadableAnswerError('a transcription without a transcript');
  return {
    text,
    language: asFilledText(channel?.['detected_language']),
    durationMs: readSecondsAsMs(asObject(body?.['metadata'])?.['duration']),
    segments: readSpans(results?.['utterances'], 'transcript'),
    words: readSpans(alternative?.['words'], 'punctuated_word', 'word'),
    tokens: null,
  };
}
