/** The project's own recordings, one folder for each shape of answer that hosts give. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Recording } from './recording.ts';

export const fixtureNames = [
  'openai',
  'openai-tools',
  'deepseek',
  'mistral',
  'azure',
  'vllm',
  'openrouter',
  'xai',
  'perplexity',
] as const;

export type FixtureName = (typeof fixtureNames)[number];

const folder = join(import.meta.dir, '..', 'fixtures');

export function fixture(name: FixtureName): Recording {
  const stream = readFileSync(join(folder, name, 'stream.sse'), 'utf8');
  return {
    name,
    whole: readFileSync(join(folder, name, 'whole.json'), 'utf8'),
    events: stream.split('\n\n').filter((event) => event.trim() !== ''),
  };
}
