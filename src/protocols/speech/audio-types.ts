/** Content types of audio, and which of the formats that they name was not asked for. */
import type { SpeechFormat } from './speech.ts';

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
