/** Speech in the form between client and upstream, what an upstream cannot do of it, and how much sound a text makes. */
import type { UpstreamComplaint } from '../translator.ts';
import { refuse } from '../turn/refuse.ts';

export const speechFormats = ['mp3', 'wav'] as const;
export type SpeechFormat = (typeof speechFormats)[number];

export interface SpeechRequest {
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
  readonly model: string;
  /** At most 4096 characters, counted as code points. */
  readonly input: string;
  /** Absent: the model's default. */
  readonly voice?: string | undefined;
  readonly format: SpeechFormat;
  /** From 0.25 to 4. */
  readonly speed: number;
  /** How to speak, where the upstream takes it. */
  readonly instructions?: string | undefined;
}

export interface SpeechCall {
  readonly body: string;
  /** Appended to the address as it is: path and query, where voice and format stand there; may be empty. */
  readonly path: string;
}

export interface SpeechUpstream {
  readonly name: string;
  /** What it can make. */
  readonly formats: readonly SpeechFormat[];
  /** @throws AppError invalid_parameter for what the upstream cannot do. */
  writeRequest(request: SpeechRequest, model: string): SpeechCall;
  readComplaint(body: string): UpstreamComplaint | null;
}

/** @throws AppError invalid_parameter when the format is not among those that the upstream makes. */
export function requireFormat({ format }: SpeechRequest, formats: readonly SpeechFormat[]): void {
  if (!formats.includes(format)) throw refuse(`${format} as response_format`, 'response_format');
}

export interface SpeedRange {
  readonly least: number;
  readonly most: number;
}

/** @throws AppError invalid_parameter when the speed is outside. */
export function requireSpeed({ speed }: SpeechRequest, { least, most }: SpeedRange): void {
  if (speed >= least && speed <= most) return;
  const taken = least === most ? `only ${least}` : `${least} to ${most}`;
  throw refuse(`a speed of ${speed} (it takes ${taken})`, 'speed');
}

type Named = SpeechFormat | 'other';

const formatsByType: ReadonlyMap<string, Named> = new Map([
  ...namesOf('mp3', 'mpeg mpeg3 mpg mp3 x-mp3 x-mpeg x-mpeg-3'),
  ...namesOf('wav', 'wav wave x-wav vnd.wave x-pn-wav'),
  ...namesOf('other', 'opus ogg vorbis webm flac x-flac aac aacp x-aac mp4 m4a x-m4a'),
  ...namesOf('other', 'pcm l8 l16 l24 basic mulaw pcmu pcma amr aiff x-aiff'),
]);

function namesOf(format: Named, names: string): readonly (readonly [string, Named])[] {
  return names.split(' ').map((name) => [`audio/${name}`, format]);
}

/** True for a type that names another format; hosts that name none, or one that nobody knows, are believed. */
export function isOtherFormat(contentType: string, format: SpeechFormat): boolean {
  const [type = ''] = contentType.split(';');
  const named = formatsByType.get(type.trim().toLowerCase());
  return named !== undefined && named !== format;
}

/** A second of speech is some fifteen letters long, in whatever script. */
const lettersPerSecond = 15;
/** A character of Chinese, Japanese or Korean is a syllable or a word, and takes as long as so many letters. */
const lettersPerSyllable = 3;
/** A digit is a word. */
const lettersPerDigit = 4;
const audioTokensPerSecond = 21;

/** As most hosts make them: 128 kbit/s, and 24 kHz of 16 bits. */
const soundBytesPerSecond: Readonly<Record<SpeechFormat, number>> = { mp3: 16_000, wav: 48_000 };

/** For models with a price for tokens. What is spoken slowly is longer; what is spoken fast was made before at length. */
export function estimateSpokenTokens({ input, speed }: SpeechRequest): number {
  return Math.ceil((secondsOf(input) / Math.min(1, speed)) * audioTokensPerSecond);
}

export function estimateSpeechBytes({ input, speed, format }: SpeechRequest): number {
  return (secondsOf(input) / speed) * soundBytesPerSecond[format];
}

const syllables = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g;

function secondsOf(text: string): number {
  const longer = (pattern: RegExp, letters: number) => (text.match(pattern)?.length ?? 0) * (letters - 1);
  const letters = text.length + longer(syllables, lettersPerSyllable) + longer(/\d/g, lettersPerDigit);
  return letters / lettersPerSecond;
}
