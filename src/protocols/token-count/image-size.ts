/** How large an image is, from the first bytes of its file. */

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** PNG, JPEG, GIF and WebP; null for anything else, and for a file that is cut off before its size. */
export function readImageSize(file: Uint8Array): ImageSize | null {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  try {
    const { width, height } = readSize(view) ?? { width: 0, height: 0 };
    return width > 0 && height > 0 ? { width, height } : null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const pngMark = 0x89504e47;
const gifMark = 0x47494638;
const jpegMark = 0xffd8;
const riffMark = 0x52494646;
const webpMark = 0x57454250;

function readSize(view: DataView): ImageSize | null {
  if (view.getUint16(0) === jpegMark) return readJpeg(view);
  switch (view.getUint32(0)) {
    case pngMark:
      return { width: view.getUint32(16), height: view.getUint32(20) };
    case gifMark:
      return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
    case riffMark:
      return view.getUint32(8) === webpMark ? readWebp(view) : null;
    default:
      return null;
  }
}

/** The kinds of a frame's header; the others in their row are tables. */
const frameMarkers: ReadonlySet<number> = new Set([
  ...[0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7],
  ...[0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf],
]);
const startOfScan = 0xda;

function readJpeg(view: DataView): ImageSize | null {
  let at = 2;
  while (view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    // Any number of these may fill the room in front of a marker.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (frameMarkers.has(marker)) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    if (marker === startOfScan) return null;
    at += 2 + view.getUint16(at + 2);
  }
  return null;
}

const lossy = 0x56503820;
const lossless = 0x5650384c;
const extended = 0x56503858;

function readWebp(view: DataView): ImageSize | null {
  switch (view.getUint32(12)) {
    case lossy:
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case lossless: {
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case extended:
      return { width: readUint24(view, 24) + 1, height: readUint24(view, 27) + 1 };
    default:
      return null;
  }
}

const readUint24 = (view: DataView, at: number): number =>
  view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
