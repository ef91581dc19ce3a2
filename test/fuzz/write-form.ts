/** Forms with a recording, with something wrong in their fields, their parts or their sound. */
import { mp3Frames, wavFile } from '../../src/protocols/audio-file/testing/plain-files.ts';
import type { Random } from './random.ts';
import { spoilBytes } from './spoil-json.ts';

export interface Writing {
  readonly model: string;
  readonly random: Random;
  readonly isLeft: boolean;
}

interface WrittenForm {
  readonly contentType: string;
  readonly body: Buffer;
  /** What was done to it. */
  readonly done: readonly string[];
}

const recordings: readonly Buffer[] = [Buffer.from(wavFile({ seconds: 1 })), Buffer.from(mp3Frames(20))];

export function writeForm(
  form: Readonly<Record<string, string>>,
  { model, random, isLeft }: Writing,
): WrittenForm {
  const done: string[] = [];
  const boundary = 'a-boundary-of-the-fuzz';
  const fields: [string, string][] = Object.entries({ model, ...form });
  let sound = random.pick(recordings);
  let file = 'content-disposition: form-data; name="file"; filename="speech.wav"\r\ncontent-type: audio/wav';
  let ending = `--${boundary}--\r\n`;
  if (!isLeft) {
    const [name, change] = random.pick<readonly [string, () => void]>([
      ['a field twice', () => fields.push(random.pick(fields))],
      ['a field dropped', () => fields.splice(random.below(fields.length), 1)],
      [
        'a strange field',
        () => fields.push([random.pick(['', '__proto__', 'file', 'x'.repeat(3000), 'stream']), 'true']),
      ],
      [
        'a strange value',
        () =>
          fields.push([
            random.pick([
              'response_format',
              'temperature',
              'language',
              'prompt',
              'timestamp_granularities[]',
              'include[]',
              'model',
            ]),
            random.pick(['', 'srt', 'x', '1e999', '\u0000', 'é'.repeat(5000)]),
          ]),
      ],
      [
        'many fields',
        () =>
          fields.push(
            ...Array.from({ length: random.pick([100, 20_000]) }, (): [string, string] => ['a', 'b']),
          ),
      ],
      [
        'no file',
        () => {
          file = 'content-disposition: form-data; name="other"';
        },
      ],
      [
        'a file without a name',
        () => {
          file = 'content-disposition: form-data; name="file"';
        },
      ],
      [
        'a strange file name',
        () => {
          file = `content-disposition: form-data; name="file"; filename="${random.pick(['../../x', '"', '\u0000', 'x'.repeat(9000), '', 'é.wav'])}"`;
        },
      ],
      [
        'strange part headers',
        () => {
          file = random.pick([
            '',
            'x',
            'content-disposition',
            'content-disposition: x; name=file',
            `a: ${'b'.repeat(20_000)}`,
            'a: b\r\n'.repeat(3000),
          ]);
        },
      ],
      [
        'no ending',
        () => {
          ending = '';
        },
      ],
      [
        'a strange ending',
        () => {
          ending = random.pick([
            `--${boundary}`,
            `--${boundary}-`,
            `--${boundary}--x`,
            `\r\n--${boundary}--`,
            '--',
          ]);
        },
      ],
      [
        'broken sound',
        () => {
          sound = spoilBytes(sound, random).bytes;
        },
      ],
      [
        'broken sound',
        () => {
          sound = flipBytes(sound, random);
        },
      ],
      [
        'no sound',
        () => {
          sound = Buffer.alloc(0);
        },
      ],
      [
        'much sound',
        () => {
          sound = Buffer.concat(Array.from({ length: 20 }, () => sound));
        },
      ],
    ]);
    change();
    done.push(name);
  }
  const parts = fields.map(([name, value]) => {
    return Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
  });
  const last = [Buffer.from(`--${boundary}\r\n${file}\r\n\r\n`), sound, Buffer.from(`\r\n${ending}`)];
  const pieces = random.oneIn(2)
    ? [...parts, ...last]
    : [...last.slice(0, 2), Buffer.from('\r\n'), ...parts, Buffer.from(ending)];
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: Buffer.concat(pieces), done };
}

function flipBytes(bytes: Buffer, random: Random): Buffer {
  const copy = Buffer.from(bytes);
  for (let times = 0; times < 8; times += 1)
    copy[random.below(Math.min(copy.length, 200))] = random.below(256);
  return copy;
}
