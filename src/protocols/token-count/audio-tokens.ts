/** What audio costs: by its length, where the file tells it. */
import { readDurationMs, recognizeContainer } from '../audio-file/audio-file.ts';
import type { AudioBlock } from '../turn/blocks.ts';

/** Gemini's; OpenAI's models take ten. */
const tokensPerSecond = 32;

/** Speech as it is usually packed, for a file that does not tell its length; and packed as tightly as it can be. */
const usualBytesPerSecond = 4000;
const leastBytesPerSecond = 750;

export function audioTokens({ source }: AudioBlock): number {
  const file = Buffer.from(source.data, 'base64');
  const container = recognizeContainer(file);
  const told = container === null ? null : readDurationMs(file, container);
  // A file may overstate its length.
  const seconds =
    told === null
      ? file.length / usualBytesPerSecond
      : Math.min(told / 1000, file.length / leastBytesPerSecond);
  return Math.ceil(seconds * tokensPerSecond);
}
