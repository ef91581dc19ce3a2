/** Made-up sound: frames that players take for MP3, and waves of silence. */

export interface Sound {
  readonly contentType: string;
  /** In the pieces that a host sends as it makes them. */
  pieces(count: number): Uint8Array[];
}

const mp3FrameBytes = 417;
const waveRate = 24_000;
const wavePieceBytes = 2400;

const mp3: Sound = {
  contentType: 'audio/mpeg',
  pieces: (count) =>
    Array.from({ length: count }, (_, index) => {
      // The header of a frame of 128 kbit/s at 44.1 kHz.
      const frame = Buffer.alloc(mp3FrameBytes, index % 250);
      frame.set([0xff, 0xfb, 0x90, 0x00]);
      return frame;
    }),
};

const wav: Sound = {
  contentType: 'audio/wav',
  pieces: (count) => [waveHead(), ...pcm.pieces(count)],
};

const pcm: Sound = {
  contentType: 'audio/pcm',
  pieces: (count) => Array.from({ length: count }, (_, index) => Buffer.alloc(wavePieceBytes, index % 250)),
};

/** A length that is not known yet is written as the largest there is. */
function waveHead(): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(0xffffffff, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(waveRate, 24);
  head.writeUInt32LE(waveRate * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(0xffffffff, 40);
  return head;
}

const sounds: Readonly<Record<string, Sound>> = { mp3, wav, pcm };

export function soundOf(format: string): Sound | undefined {
  return sounds[format];
}
