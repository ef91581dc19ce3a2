/** Recorded traffic of real providers, where it is at hand: `SLUICE_CAPTURES`, else a folder beside the repository. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = process.env['SLUICE_CAPTURES'] ?? resolve(import.meta.dir, '../../../../shared/captures');

export const hasRecordings = existsSync(join(root, 'parallel'));

export const recordedProtocols = ['anthropic', 'chat-completions', 'responses', 'google'] as const;
export type RecordedProtocol = (typeof recordedProtocols)[number];

/** The cases that were recorded in all of these protocols. */
export function recordedCases(...protocols: readonly RecordedProtocol[]): readonly string[] {
  if (!hasRecordings) return [];
  return readdirSync(join(root, 'parallel')).filter((name) =>
    protocols.every((protocol) => existsSync(join(root, 'parallel', name, protocol, 'request.json'))),
  );
}

/** The text of one file of a case; null when it was not recorded. */
export function readRecording(name: string, protocol: RecordedProtocol, file: string): string | null {
  const path = join(root, 'parallel', name, protocol, `${file}.json`);
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

/** Whole answers by provider, without what is no answer of a model. */
export function recordedWholes(
  provider: string,
): readonly { readonly name: string; readonly text: string }[] {
  const folder = join(root, 'answers', provider);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => ({ name: `${provider}/${file}`, text: readFileSync(join(folder, file), 'utf8') }));
}

export interface RecordedStream {
  readonly name: string;
  /** The JSON of one event each. */
  readonly lines: readonly string[];
}

/** Streams by provider; a file that holds the turns of a conversation is as many streams. */
export function recordedStreams(provider: string): readonly RecordedStream[] {
  const folder = join(root, 'answers', provider);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith('.chunks.txt'))
    .flatMap((file) =>
      readFileSync(join(folder, file), 'utf8')
        .split(/(?<=^\{"type":"(?:message_stop"\}|response\.completed".*))\n/m)
        .map((turn) => turn.split('\n').filter((line) => line.trim() !== ''))
        .filter((lines) => lines.length > 0)
        .map((lines, turn) => ({ name: `${provider}/${file} ${turn + 1}`, lines })),
    );
}
