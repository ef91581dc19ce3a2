/** Speech to text in a form between the protocols. */
import type { AudioContainer } from '../audio-file/audio-file.ts';
import type { UpstreamComplaint } from '../translator.ts';

export interface AudioFile {
  /** A view into the request's body, which is held once. */
  readonly bytes: Uint8Array;
  /** By the bytes, not by the name. */
  readonly container: AudioContainer;
  /** What the container itself says, but never less than its bytes can be; null when it does not say. */
  readonly durationMs: number | null;
  /** The bytes decided. */
  readonly isDurationEstimated?: boolean | undefined;
}

export const transcriptFormats = ['json', 'text', 'srt', 'verbose_json', 'vtt'] as const;
export type TranscriptFormat = (typeof transcriptFormats)[number];

/** `translate`: into English, whatever was spoken. */
export type TranscriptionTask = 'transcribe' | 'translate';

export interface TranscriptionRequest {
  readonly task: TranscriptionTask;
  /** Null: the default model. */
  readonly model: string | null;
  readonly file: AudioFile;
  /** ISO-639-1, lower case. */
  readonly language?: string | undefined;
  readonly prompt?: string | undefined;
  readonly temperature?: number | undefined;
  readonly format: TranscriptFormat;
  readonly wordTimes: boolean;
  /** The text is wanted as it is written down, in events. */
  readonly wantsEvents: boolean;
}

export interface TranscriptSegment {
  readonly startS: number;
  readonly endS: number;
  readonly text: string;
  /** How sure the model was, of upstreams that tell. */
  readonly scores?: SegmentScores | undefined;
}

export interface SegmentScores {
  readonly temperature: number;
  readonly averageLogprob: number;
  readonly compressionRatio: number;
  readonly noSpeechProbability: number;
}

export interface TranscriptionAnswer {
  readonly text: string;
  /** A name or a code. */
  readonly language?: string | undefined;
  /** As the upstream counted it. */
  readonly durationMs: number | null;
  /** What the upstream bills, where it says that besides: whole seconds, for example. */
  readonly billedMs?: number | undefined;
  readonly segments: readonly TranscriptSegment[];
  readonly words: readonly TranscriptSegment[];
  /** Of upstreams that bill by the token. */
  readonly tokens: {
    readonly input: number;
    /** Those of the input that were heard, where the upstream says so. */
    readonly audio?: number | undefined;
    readonly output: number;
  } | null;
}

/** The body of a request to an upstream. */
export interface TranscriptionBody {
  readonly contentType: string;
  /** In order; the audio itself is one of them, not a copy. */
  readonly parts: readonly Uint8Array[];
  /** Where the upstream takes its options there; without the question mark, may be empty. */
  readonly query: string;
}

export interface TranscriptionUpstream {
  readonly name: string;
  /** @throws AppError invalid_parameter for what the upstream cannot do, such as the times of words. */
  writeRequest(request: TranscriptionRequest, model: string): TranscriptionBody;
  /** @throws UnreadableAnswerError; ComplaintError. */
  readAnswer(json: unknown): TranscriptionAnswer;
  readComplaint(body: string): UpstreamComplaint | null;
}
