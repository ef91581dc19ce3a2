/** How much speech a text makes, which no answer of audio says. */
import type { SpeechFormat, SpeechRequest } from './speech.ts';

/**
 * A second of speech is some fifteen letters long. Bytes are counted in their stead: a character of Chinese, Japanese or
 * Korean is a syllable or a word, and has three of them.
 */
const textBytesPerSecond = 15;
const textBytesPerToken = 4;
const audioTokensPerSecond = 21;

/** As most hosts make them: 128 kbit/s, and 24 kHz of 16 bits. */
const soundBytesPerSecond: Readonly<Record<SpeechFormat, number>> = { mp3: 16_000, wav: 48_000 };

/** For models with a price for tokens. What is spoken slowly is longer; what is spoken fast was made before at length. */
export function estimateSpeechTokens({ input, instructions = '', speed }: SpeechRequest) {
  const inputTokens = Math.ceil(
    (Buffer.byteLength(input) + Buffer.byteLength(instructions)) / textBytesPerToken,
  );
  const seconds = Buffer.byteLength(input) / textBytesPerSecond / Math.min(1, speed);
  return { inputTokens, outputTokens: Math.ceil(seconds * audioTokensPerSecond) };
}

export function estimateSpeechBytes({ input, speed, format }: SpeechRequest): number {
  return (Buffer.byteLength(input) / textBytesPerSecond / speed) * soundBytesPerSecond[format];
}
