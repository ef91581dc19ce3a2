/** Which of the six containers a file is, by its first bytes. */
import { AudioBytes } from './audio-bytes.ts';
import { firstMp3Frame } from './mp3-frame.ts';
import { endOfId3 } from './skip-id3.ts';

export const audioContainers = ['wav', 'mp3', 'm4a', 'flac', 'ogg', 'webm'] as const;
export type AudioContainer = (typeof audioContainers)[number];

/** As upstreams expect it of an upload. */
export const contentTypes: Readonly<Record<AudioContainer, string>> = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  webm: 'audio/webm',
};

const ebmlMark = '\x1a\x45\xdf\xa3';

/** Null when it is none of them. */
export function recognizeContainer(file: Uint8Array): AudioContainer | null {
  const bytes = new AudioBytes(file);
  if ((bytes.has('RIFF', 0) || bytes.has('RF64', 0)) && bytes.has('WAVE', 8)) return 'wav';
  if (bytes.has('ftyp', 4)) return 'm4a';
  if (bytes.has('OggS', 0)) return 'ogg';
  if (bytes.has(ebmlMark, 0)) return 'webm';
  if (bytes.has('fLaC', endOfId3(bytes))) return 'flac';
  return firstMp3Frame(bytes) === null ? null : 'mp3';
}
