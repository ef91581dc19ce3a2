/**
 * What a stream generated, for when its upstream does not tell: its bytes, as a sign of life, and an even sample of its
 * text in bounded memory, which is read only when somebody wants it counted.
 */
import { endOfFrame, framesOf, readData, startOfFrame } from '../../base/sse.ts';
import { isJsonObject, tryParseJson } from '../json/fields.ts';
import { hasFilledMember, memberName, type SilentFrames } from './frame-bytes.ts';

/** A part of a text, taken evenly from all of it. */
export interface TextSample {
  readonly texts: readonly string[];
  /** How many times as long the whole is: 1 when all of it is here. */
  readonly times: number;
  /** Whether thoughts of the model are among it. */
  readonly showsThoughts?: boolean;
}

/** Every second run is let go when there are more, or they have more bytes: some do by a single long frame. */
const mostRuns = 24;
const mostSize = 98_304;
const runSize = 2048;
/** A larger piece is cut, bytes between two frames. A longer frame holds a file and is left out. */
const mostPieceSize = 2 * runSize;
const mostFrameBytes = 32 * runSize;
/** Of a run: more of them are made one, since each takes some memory of its own. */
const mostPieces = 4;

interface Run<Piece> {
  pieces: Piece[];
  size: number;
  weight: number;
}

/**
 * Makes few pieces of many, which keep nothing else in memory.
 * @param isAllKept whether all that has come is kept, so that a piece may be a part of what others are parts of too.
 */
type Join<Piece> = (pieces: Piece[], isAllKept: boolean) => Piece[];

/** Keeps what it is given in runs of neighbours: all of it, then every second run, every fourth, and so on. */
class EvenSample<Piece> {
  #runs: Run<Piece>[] = [];
  /** Of so many runs the first is kept. */
  #stride = 1;
  #runIndex = 0;
  #runSize = 0;
  #keptSize = 0;
  #totalWeight = 0;
  readonly #join: Join<Piece>;

  constructor(join: Join<Piece>) {
    this.#join = join;
  }

  /**
   * @param size what it takes in memory.
   * @param weight how much it has of what is counted: bytes of text, of which a token has about as many in any script.
   */
  add(piece: Piece, size: number, weight: number): void {
    this.#totalWeight += weight;
    const isKept = this.#runIndex % this.#stride === 0;
    if (isKept) this.#keep(piece, size, weight);
    this.#runSize += size;
    if (this.#runSize < runSize) return;
    const last = this.#runs.at(-1);
    if (isKept && last !== undefined) last.pieces = this.#join(last.pieces, this.#stride === 1);
    this.#runSize = 0;
    this.#runIndex += 1;
    if (this.#runs.length > mostRuns || this.#keptSize > mostSize) this.#thin();
  }

  get runs(): readonly (readonly Piece[])[] {
    return this.#runs.map(({ pieces }) => pieces);
  }

  /** How many times as much there was; 1 when everything was kept, or nothing came. */
  get times(): number {
    if (this.#stride === 1) return 1;
    const kept = this.#runs.reduce((sum, { weight }) => sum + weight, 0);
    return kept === 0 ? 1 : this.#totalWeight / kept;
  }

  #keep(piece: Piece, size: number, weight: number): void {
    this.#keptSize += size;
    const last = this.#runs.at(-1);
    if (last === undefined || this.#runSize === 0) this.#runs.push({ pieces: [piece], size, weight });
    else {
      last.pieces.push(piece);
      last.size += size;
      last.weight += weight;
    }
  }

  #thin(): void {
    this.#runs = this.#runs.filter((_, at) => at % 2 === 0);
    this.#keptSize = this.#runs.reduce((sum, { size }) => sum + size, 0);
    if (this.#stride === 1) for (const run of this.#runs) run.pieces = this.#join(run.pieces, false);
    this.#stride *= 2;
  }
}

/** Text as it is read from a stream of events. */
export class GeneratedEvents {
  characters = 0;
  #showsThoughts = false;
  readonly #sample = new EvenSample<string>((pieces) => [pieces.join('')]);

  add(text: string, isThought = false): void {
    this.#showsThoughts ||= isThought;
    this.characters += text.length;
    for (let from = 0; from < text.length; from += mostPieceSize) {
      const piece = text.length <= mostPieceSize ? text : text.slice(from, from + mostPieceSize);
      this.#sample.add(piece, piece.length, Buffer.byteLength(piece));
    }
  }

  sample(): TextSample {
    const { runs, times } = this.#sample;
    const texts = runs.map((pieces) => pieces.join(''));
    return { texts: joined(texts, times), times, showsThoughts: this.#showsThoughts };
  }
}

/** How hosts of chat completions and Anthropic call what a model thought. */
const thoughtMembers = ['reasoning_content', 'reasoning', 'thinking'].map(memberName);
/** How the types of such events begin in Responses. */
const thoughtEvent = '"response.reasoning';
const dataMark = Buffer.from('data:');

/** Text inside frames that nobody reads. */
export class GeneratedText {
  #characters = 0;
  #envelopeBytes: number;
  readonly #sample = new EvenSample(joinBlocks);

  /** @param usualEnvelopeBytes of a frame without its text, until one has been seen. */
  constructor(usualEnvelopeBytes: number) {
    this.#envelopeBytes = usualEnvelopeBytes;
  }

  /** Bytes, which are characters or more: they grow whenever something is generated. */
  get characters(): number {
    return this.#characters;
  }

  learn(frameBytes: number, textBytes: number): void {
    this.#envelopeBytes = Math.max(1, frameBytes - textBytes);
  }

  /**
   * @param block whole frames; it is kept as it is, and must not change.
   * @param known how many frames with data it has, where that is known.
   */
  add(block: Buffer, silent?: SilentFrames, known?: number): void {
    let frames = known ?? countFrames(block);
    let { length } = block;
    for (let at = silent?.find(block, 0) ?? -1; at !== -1; ) {
      const start = startOfFrame(block, at);
      const end = endOfFrame(block, at);
      if (silent?.isSilent(block.subarray(start, end)) === true) {
        frames -= 1;
        length -= end - start;
      }
      at = silent?.find(block, end) ?? -1;
    }
    if (frames <= 0) return;
    const bytes = Math.max(frames, length - frames * this.#envelopeBytes);
    this.#characters += bytes;
    this.#addToSample(block, bytes);
  }

  /** The frames are read now, and no more of them than the bound. */
  sample(): TextSample {
    const { runs, times } = this.#sample;
    const showsThoughts = runs.some((blocks) => blocks.some(holdsThought));
    return { texts: joined(runs.map(textOfBlocks), times), times, showsThoughts };
  }

  /** A block that waited for a slow client is cut. */
  #addToSample(block: Buffer, textBytes: number): void {
    if (block.length <= mostPieceSize) {
      this.#sample.add(block, block.length, textBytes);
      return;
    }
    for (let from = 0; from < block.length; ) {
      const to = from + mostPieceSize < block.length ? endOfPart(block, from) : block.length;
      const part = block.subarray(from, to);
      const share = part.length / block.length;
      if (part.length <= mostFrameBytes) this.#sample.add(part, part.length, textBytes * share);
      from = to;
    }
  }
}

/** Those that have data: comments generate nothing. */
function countFrames(block: Buffer): number {
  let frames = 0;
  for (let at = block.indexOf(dataMark); at !== -1; at = block.indexOf(dataMark, at + dataMark.length)) {
    frames += 1;
  }
  return frames;
}

/** Whole frames, as many as a piece may have; one where the first alone is longer. */
function endOfPart(block: Buffer, from: number): number {
  const end = startOfFrame(block, from + mostPieceSize);
  return end > from ? end : endOfFrame(block, from);
}

/** Where nothing is left out, a word at the border of two runs is one word. */
const joined = (texts: readonly string[], times: number): readonly string[] =>
  times === 1 ? [texts.join('')] : texts;

/** What came in large pieces is kept as it came: to copy it would cost more than to pass it on. */
function joinBlocks(blocks: Buffer[], isAllKept: boolean): Buffer[] {
  const isFit = (block: Buffer) =>
    block.buffer.byteLength <= (isAllKept ? mostFrameBytes : 2 * block.byteLength);
  return blocks.length <= mostPieces && blocks.every(isFit) ? blocks : [Buffer.concat(blocks)];
}

const holdsThought = (block: Buffer): boolean =>
  block.includes(thoughtEvent) || thoughtMembers.some((name) => hasFilledMember(block, name));

function textOfBlocks(blocks: readonly Buffer[]): string {
  let text = '';
  for (const block of blocks) {
    for (const frame of framesOf(block)) text += generatedTextIn(tryParseJson(readData(frame) ?? ''));
  }
  return text;
}

/** How the protocols call the members of an answer or a frame that hold what the model generated. */
const textMembers: ReadonlySet<string> = new Set([
  ...['content', 'reasoning_content', 'reasoning', 'refusal', 'text', 'thinking', 'partial_json'],
  ...['arguments', 'delta', 'name', 'code', 'input', 'args'],
]);
/** Of a call: an object in some protocols, which the model wrote as JSON. */
const objectMembers: ReadonlySet<string> = new Set(['input', 'args']);
/** They repeat the text, or quote what somebody else wrote. */
const otherMembers: ReadonlySet<string> = new Set([
  ...['reasoning_details', 'logprobs', 'annotations', 'citations', 'groundingMetadata', 'usage'],
]);

/** Deeper than any answer. */
const mostLevels = 32;

/** All that the model generated, in order, of a whole answer or of one frame in any protocol. */
export function generatedTextIn(value: unknown, levels = mostLevels): string {
  if (levels === 0) return '';
  if (Array.isArray(value)) return value.map((each) => generatedTextIn(each, levels - 1)).join('');
  if (!isJsonObject(value)) return '';
  let text = '';
  for (const [name, inner] of Object.entries(value)) {
    if (otherMembers.has(name)) continue;
    if (typeof inner === 'string') text += textMembers.has(name) ? inner : '';
    else if (objectMembers.has(name) && isJsonObject(inner)) text += writeArguments(inner);
    else if (typeof inner === 'object') text += generatedTextIn(inner, levels - 1);
  }
  return text;
}

/** A call begins with no arguments in some protocols, which then come by and by. */
function writeArguments(input: object): string {
  // To write what is nested very deep takes time with the square of its depth.
  return Object.keys(input).length === 0 || isDeeperThan(mostLevels, input) ? '' : JSON.stringify(input);
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}
