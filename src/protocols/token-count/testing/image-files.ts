/** The first bytes of image files of a given size. */

export function png(width: number, height: number): Buffer {
  const file = Buffer.alloc(33);
  file.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
  file.writeUInt32BE(width, 16);
  file.writeUInt32BE(height, 20);
  return file;
}

export function gif(width: number, height: number): Buffer {
  const file = Buffer.alloc(13);
  file.write('GIF89a', 'latin1');
  file.writeUInt16LE(width, 6);
  file.writeUInt16LE(height, 8);
  return file;
}

/** @param fill bytes in front of the frame's marker. */
export function jpeg(
  width: number,
  height: number,
  { marker, fill = 0 }: { marker: number; fill?: number },
): Buffer {
  const notes = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 6, 1, 2, 3, 4, 0xff, 0xc4, 0, 3, 0]);
  const frame = Buffer.alloc(10);
  frame.set([0xff, marker, 0, 11, 8]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([notes, Buffer.alloc(fill, 0xff), frame]);
}

export function webp(width: number, height: number, kind: string): Buffer {
  const file = Buffer.alloc(32);
  file.write(`RIFF\0\0\0\0WEBP${kind}`, 'latin1');
  if (kind === 'VP8 ') {
    file.writeUInt16LE(width, 26);
    file.writeUInt16LE(height, 28);
  } else if (kind === 'VP8L') {
    file.writeUInt8(0x2f, 20);
    file.writeUInt32LE((((height - 1) << 14) | (width - 1)) >>> 0, 21);
  } else {
    file.writeUIntLE(width - 1, 24, 3);
    file.writeUIntLE(height - 1, 27, 3);
  }
  return file;
}
