/** Transcriptions at ElevenLabs, which answers with words: the segments of a transcript are made of them here. */
import { asFilledText, asObject, asObjects, asText } from '../../protocols/json/fields.ts';
import type {
  TranscriptionAnswer,
  TranscriptionRequest,
  TranscriptionUpstream,
  TranscriptSegment,
} from '../../protocols/transcription/transcription.ts';
import { readSecondsAsMs, readSpans, writeForm } from '../../protocols/transcription/wire.ts';
import { ComplaintError, UnreadableAnswerError } from '../../protocols/translator.ts';
import { elevenlabsComplaintIn, readElevenlabsComplaint } from './complaint.ts';

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

const longestSegmentS = 10;
const longestPauseS = 1;
const endOfSentence = /[.!?。！？…]["'”’)\]]*$/u;
/** Scripts that are written without spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** A segment ends with its sentence, before a pause, and before it is too long to be read as one subtitle. */
export function joinWords(words: readonly TranscriptSegment[]): readonly TranscriptSegment[] {
  const segments: TranscriptSegment[] = [];
  let open: TranscriptSegment | undefined;
  for (const word of words) {
    if (open !== undefined && !belongs(open, word)) {
      segments.push(open);
      open = undefined;
    }
    open = open === undefined ? word : { ...open, endS: word.endS, text: append(open.text, word.text) };
  }
  if (open !== undefined) segments.push(open);
  return segments;
}

function belongs(open: TranscriptSegment, word: TranscriptSegment): boolean {
  if (endOfSentence.test(open.text) || word.startS - open.endS > longestPauseS) return false;
  return word.endS - open.startS <= longestSegmentS;
}

function append(text: string, word: string): string {
  const isTight = unspaced.test(text.at(-1) ?? '') && unspaced.test(word.at(0) ?? '');
  return isTight ? text + word : `${text} ${word}`;
}
