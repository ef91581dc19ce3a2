/** Reads recorded chat completions of real hosts where a folder of captures is at hand; they stay outside the project. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { isObject, parseJson, readList } from '../json.ts';
import type { Recording } from './recording.ts';

const usualFolder = join(import.meta.dir, '../../../../../shared/captures');
const streamEnding = '.chunks.txt';

/** The folder in `SLUICE_CAPTURES`, or the usual one beside the repository; undefined when it is not there. */
export function capturesFolder(): string | undefined {
  const folder = resolve(process.env['SLUICE_CAPTURES'] ?? usualFolder);
  return existsSync(folder) ? folder : undefined;
}

/** Sorted by name; empty without a folder. */
export function readCaptures(folder = capturesFolder()): readonly Recording[] {
  if (folder === undefined) return [];
  const recordings = new Map<string, Recording>();
  for (const file of filesUnder(folder)) {
    const { name, isStream } = roleOf(relative(folder, file));
    if (name === undefined) continue;
    const text = readFileSync(file, 'utf8');
    const found = recordings.get(name) ?? { name, whole: undefined, events: undefined };
    if (isStream) {
      const events = readEvents(text);
      if (events !== undefined) recordings.set(name, { ...found, events });
    } else if (isChat(parseJson(text), 'message')) {
      recordings.set(name, { ...found, whole: text });
    }
  }
  return [...recordings.values()].toSorted((a, b) => a.name.localeCompare(b.name));
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** A whole answer and its stream share a name and differ in how their files end. */
function roleOf(path: string): { name: string | undefined; isStream: boolean } {
  if (path.endsWith(streamEnding)) return { name: path.slice(0, -streamEnding.length), isStream: true };
  if (path.endsWith('response-streaming.json'))
    return { name: path.slice(0, -'-streaming.json'.length), isStream: true };
  const isAnswer = path.endsWith('.json') && !path.endsWith('request.json');
  return { name: isAnswer ? path.slice(0, -'.json'.length) : undefined, isStream: false };
}

/** One event's JSON a line, or all of them in one array; undefined for another protocol's events. */
function readEvents(text: string): string[] | undefined {
  const list = parseJson(text);
  const events = Array.isArray(list) ? list.map((event) => JSON.stringify(event)) : linesOf(text);
  const isStream = events.some((event) => isChat(parseJson(event), 'delta'));
  return isStream ? [...events, '[DONE]'].map((event) => `data: ${event}`) : undefined;
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

function isChat(message: unknown, part: 'message' | 'delta'): boolean {
  return readList(message, 'choices').some((choice) => isObject(choice) && isObject(choice[part]));
}
