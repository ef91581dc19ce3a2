/** The project's own recordings of messages, one folder for each shape of answer. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Recording } from '../../recordings/recording.ts';

export const messagesFixtureNames = ['anthropic', 'anthropic-thinking', 'anthropic-tools'] as const;

export type MessagesFixtureName = (typeof messagesFixtureNames)[number];

const folder = join(import.meta.dir, '../../fixtures');

export function messagesFixture(name: MessagesFixtureName): Recording {
  const stream = readFileSync(join(folder, name, 'stream.sse'), 'utf8');
  return {
    name,
    whole: readFileSync(join(folder, name, 'whole.json'), 'utf8'),
    events: stream.split('\n\n').filter((event) => event.trim() !== ''),
  };
}
