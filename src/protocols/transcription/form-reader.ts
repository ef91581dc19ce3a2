/** A form taken apart while it arrives, and the memory that holds it once. */
import { AppError } from '../../base/errors.ts';
import { brokenForm, type PartHeader, readPartHeader } from './form-headers.ts';

export interface FormPart extends PartHeader {
  /** A view into the one copy of the body. */
  readonly bytes: Uint8Array;
}

export interface FormBounds {
  /** The field that may carry a file. */
  readonly fileField: string;
  readonly maxFileBytes: number;
}

/** For everything but the file: boundaries, headers and the other fields together. */
const maxRestBytes = 262_144;
const maxHeaderBytes = 8192;
const maxParts = 100;

const lineBreak = '\r\n';

/** The most bytes that such a form can have. */
export function maxFormBytes({ maxFileBytes }: FormBounds): number {
  return maxFileBytes + maxRestBytes;
}

type Step = 'first boundary' | 'behind boundary' | 'header' | 'content' | 'done';

export class FormReader {
  readonly parts: FormPart[] = [];
  readonly #bounds: FormBounds;
  readonly #held: GrowingBytes;
  readonly #boundary: Buffer;
  #step: Step = 'first boundary';
  /** Up to here everything is understood. */
  #at = 0;
  /** Up to here the mark that is looked for does not begin. */
  #searched = 0;
  #header: PartHeader | undefined;
  #fileBytes = 0;

  constructor(boundary: string, bounds: FormBounds) {
    this.#bounds = bounds;
    this.#held = new GrowingBytes(maxFormBytes(bounds));
    this.#boundary = Buffer.from(`${lineBreak}--${boundary}`);
    // The first boundary stands at the very beginning, as if a line had ended there.
    this.#held.append(Buffer.from(lineBreak));
  }

  /** @throws AppError body_too_large as soon as the file is too large, malformed_request. */
  push(piece: Uint8Array): void {
    if (this.#step === 'done') return;
    if (this.#held.bytes.byteLength + piece.byteLength > maxFormBytes(this.#bounds)) {
      throw bodyTooLarge(this.#bounds.maxFileBytes);
    }
    this.#held.append(piece);
    while (this.#advance());
    this.#checkSizes();
  }

  /** @throws AppError malformed_request when the form is not whole. */
  end(): readonly FormPart[] {
    if (this.#step !== 'done') throw brokenForm('it ends before its last boundary');
    return this.parts;
  }

  /** @returns whether there may be more to understand. */
  #advance(): boolean {
    if (this.#step === 'first boundary') return this.#findFirstBoundary();
    if (this.#step === 'behind boundary') return this.#readEndOfBoundary();
    if (this.#step === 'header') return this.#readHeader();
    return this.#step === 'content' && this.#readContent();
  }

  #findFirstBoundary(): boolean {
    const found = this.#find(this.#boundary);
    if (found === -1) return false;
    this.#moveTo(found + this.#boundary.byteLength, 'behind boundary');
    return true;
  }

  #readEndOfBoundary(): boolean {
    const { bytes } = this.#held;
    if (bytes.byteLength < this.#at + 2) return false;
    if (bytes[this.#at] === 0x2d && bytes[this.#at + 1] === 0x2d) {
      this.#moveTo(this.#at + 2, 'done');
      return false;
    }
    const end = this.#find(lineBreak);
    if (end === -1) return false;
    if (bytes.toString('latin1', this.#at, end).trim() !== '') {
      throw brokenForm('there is something behind a boundary in its line');
    }
    // The line break stays: a header may be empty, and then its end is this one and the next.
    this.#moveTo(end, 'header');
    return true;
  }

  #readHeader(): boolean {
    const end = this.#find(lineBreak + lineBreak);
    if (end === -1) return false;
    this.#header = readPartHeader(this.#held.bytes.toString('utf8', this.#at, end));
    if (this.parts.length === maxParts) throw brokenForm(`it has more than ${maxParts} parts`);
    this.#moveTo(end + 4, 'content');
    // Content may be empty: then the line break of its boundary is the one that ends the header.
    this.#searched = end + 2;
    return true;
  }

  #readContent(): boolean {
    const end = this.#find(this.#boundary);
    if (end === -1 || this.#header === undefined) return false;
    // No `Buffer`: JSON writes the bytes of one out as numbers, before a replacer of its own could stop it.
    const { buffer, byteOffset } = this.#held.bytes;
    const bytes = new Uint8Array(buffer, byteOffset + this.#at, Math.max(end - this.#at, 0));
    this.parts.push({ ...this.#header, bytes });
    this.#countFile(bytes.byteLength);
    this.#moveTo(end + this.#boundary.byteLength, 'behind boundary');
    return true;
  }

  #checkSizes(): void {
    const waiting = this.#held.bytes.byteLength - this.#at;
    if (this.#step === 'content') this.#checkFile(waiting - this.#boundary.byteLength);
    this.#checkRest(waiting);
    const isHeader = this.#step === 'header' || this.#step === 'behind boundary';
    if (isHeader && waiting > maxHeaderBytes) throw brokenForm('the header of a part is too long');
  }

  /** @param waiting bytes that are not understood yet. */
  #checkRest(waiting: number): void {
    const isInFile = this.#step === 'content' && this.#isFile();
    const rest = this.#held.bytes.byteLength - this.#fileBytes - (isInFile ? waiting : 0);
    if (rest <= maxRestBytes) return;
    throw new AppError({
      code: 'body_too_large',
      public: `The fields beside the file are too large: together they may have at most ${maxRestBytes / 1024} KiB.`,
    });
  }

  /** @param bytes of the part under way that are certainly its content. */
  #checkFile(bytes: number): void {
    if (!this.#isFile()) return;
    if (this.#fileBytes + bytes > this.#bounds.maxFileBytes) throw bodyTooLarge(this.#bounds.maxFileBytes);
  }

  #countFile(bytes: number): void {
    this.#checkFile(bytes);
    if (this.#isFile()) this.#fileBytes += bytes;
  }

  #isFile(): boolean {
    return this.#header?.name === this.#bounds.fileField;
  }

  #moveTo(at: number, step: Step): void {
    this.#at = at;
    this.#searched = at;
    this.#step = step;
  }

  /** Looks on where it stopped, so that an upload of many pieces is searched once. */
  #find(mark: Buffer | string): number {
    const { bytes } = this.#held;
    const found = bytes.indexOf(mark, this.#searched, 'latin1');
    if (found === -1) this.#searched = Math.max(this.#searched, bytes.byteLength - mark.length + 1);
    return found;
  }
}

export function bodyTooLarge(maxFileBytes: number): AppError {
  const most =
    maxFileBytes < 1_048_576 ? `${maxFileBytes} bytes` : `${Math.floor(maxFileBytes / 1_048_576)} MiB`;
  return new AppError({
    code: 'body_too_large',
    public: `The upload is too large: a file may have at most ${most}. Send a shorter or more compressed one.`,
    param: 'file',
  });
}

/**
 * Only room in the address space is reserved for the bound; memory is taken as bytes arrive, and what has arrived is
 * never moved. A list of pieces that is joined at the end, or a buffer that doubles, would hold an upload twice.
 */
export class GrowingBytes {
  readonly #memory: ArrayBuffer;
  #bytes = Buffer.alloc(0);

  /** @param maxBytes more than this must never be appended. */
  constructor(maxBytes: number) {
    this.#memory = new ArrayBuffer(0, { maxByteLength: maxBytes });
  }

  append(piece: Uint8Array): void {
    const begin = this.#memory.byteLength;
    this.#memory.resize(begin + piece.byteLength);
    this.#bytes = Buffer.from(this.#memory, 0, begin + piece.byteLength);
    this.#bytes.set(piece, begin);
  }

  /** All that has arrived. Views of it stay valid while more is appended. */
  get bytes(): Buffer {
    return this.#bytes;
  }
}
