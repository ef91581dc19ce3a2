/** The same frames in other clothes: all that server-sent events allow around the data. */
import { framed } from './play-stream.ts';
import type { SoundStream } from './sound-streams.ts';

type Dress = (sound: SoundStream) => string;

const plain: Dress = (sound) => framed(sound).join('');

const each =
  (dress: (lines: readonly string[], data: string) => readonly string[]): Dress =>
  (sound) =>
    framed(sound)
      .map((frame, at) => `${dress(frame.trimEnd().split('\n'), sound.frames[at] ?? '').join('\n')}\n\n`)
      .join('');

/** JSON may be laid out over lines, and each is then a `data:` of its own. */
const overLines = each((lines, data) => [
  ...lines.filter((line) => !line.startsWith('data:')),
  ...(data === '[DONE]' ? data : JSON.stringify(JSON.parse(data), null, 1))
    .split('\n')
    .map((line) => `data: ${line}`),
]);

const otherFields = each((lines) => [
  'id: 7',
  ...lines,
  'retry: 3000',
  'x-note: no data: of ours',
  'nothing',
]);
const namedLast = each((lines) => [...lines, 'event: message'.slice(0, 6)]);

const comments = each((lines) => [': before', ...lines.flatMap((line) => [line, ':within']), ': behind']);
const keepAlives: Dress = (sound) =>
  `: opening\n\n${framed(sound)
    .map((frame) => `: keep-alive\n\n:\n\n${frame}: data: not this\n\n`)
    .join('')}: closing\n\n`;

export const dressings: readonly (readonly [string, Dress])[] = [
  ['lines that end in CRLF', (sound) => plain(sound).replaceAll('\n', '\r\n')],
  ['lines that end in a return', (sound) => plain(sound).replaceAll('\n', '\r')],
  ['lines that end in turns', (sound) => plain(sound).replace(/\n\n/g, '\r\n\n')],
  ['CRLF and a return in turns', (sound) => plain(sound).replace(/\n\n/g, '\r\r\n')],
  ['data without its space', (sound) => plain(sound).replace(/^data: /gm, 'data:')],
  ['data over several lines', overLines],
  ['data over several lines that end in CRLF', (sound) => overLines(sound).replaceAll('\n', '\r\n')],
  ['data over several lines that end in a return', (sound) => overLines(sound).replaceAll('\n', '\r')],
  ['frames with other fields', otherFields],
  ['frames with a name and no value', namedLast],
  ['frames with comments', comments],
  ['frames with comments that end in a return', (sound) => comments(sound).replaceAll('\n', '\r')],
  ['frames with keep-alives between them', keepAlives],
  ['frames behind a byte order mark', (sound) => `\uFEFF${plain(sound)}`],
  ['lines behind a mark that end in CRLF', (sound) => `\uFEFF${plain(sound).replaceAll('\n', '\r\n')}`],
  ['frames with many blank lines', (sound) => `\n\n${plain(sound).replaceAll('\n\n', '\n\n\n\n\n')}\n\n`],
  ['many blank lines that end in CRLF', (sound) => `${plain(sound)}\n\n\n`.replaceAll('\n', '\r\n')],
  ['a last frame without its blank line', (sound) => plain(sound).trimEnd()],
  ['a last frame without its blank line, and CRLF', (sound) => `${plain(sound).trimEnd()}\r\n`],
];
