/** What becomes of an upstream's stream on its way to the client, as the gateway relays it. */
import { AppError } from '../../base/errors.ts';
import { FrameSplitter, framesOf, readData } from '../../base/sse.ts';
import { closingBlock } from '../frames/readable-frames.ts';
import type { UpstreamComplaint } from '../translator.ts';
import type { SoundStream } from './sound-streams.ts';
import type { StreamPair } from './stream-pairs.ts';

export interface PlayedStream {
  /** What the client got, without the error that the gateway adds to a stream that did not end well. */
  readonly out: string;
  readonly complaint: UpstreamComplaint | null;
  readonly isComplete: boolean;
  /** Without any the client gets no stream, but an answer of another provider or an error. */
  readonly hasContent: boolean;
  /** It ended as whole for the client. */
  readonly isClean: boolean;
  /** With that error. */
  readonly told: string;
}

const broken = new AppError({ code: 'upstream_failed', public: 'The model provider failed.' });

export function play(pair: StreamPair, pieces: Iterable<Uint8Array>): PlayedStream {
  return playBlocks(pair, blocksOf(pieces));
}

/**
 * For many cuts of one stream, in order: plays again only what reaches the converter in other blocks than the cut before
 * it, and returns the same object where it does not. Within a frame all cuts do so alike.
 */
export function cutPlayer(pair: StreamPair): (pieces: Iterable<Uint8Array>) => PlayedStream {
  let last: { readonly blocks: readonly Buffer[]; readonly played: PlayedStream } | undefined;
  return (pieces) => {
    const blocks = blocksOf(pieces);
    if (last === undefined || !areSame(last.blocks, blocks)) {
      last = { blocks, played: playBlocks(pair, blocks) };
    }
    return last.played;
  };
}

/** What a converter is given of pieces: whole frames, and last what makes a frame of the rest. */
function blocksOf(pieces: Iterable<Uint8Array>): readonly Buffer[] {
  const splitter = new FrameSplitter(1_000_000);
  const blocks: Buffer[] = [];
  for (const piece of pieces) blocks.push(splitter.push(piece));
  blocks.push(closingBlock(splitter));
  return blocks.filter(({ length }) => length > 0);
}

function areSame(some: readonly Buffer[], others: readonly Buffer[]): boolean {
  return some.length === others.length && some.every((block, index) => others[index]?.equals(block) === true);
}

function playBlocks({ open, client }: StreamPair, blocks: readonly Buffer[]): PlayedStream {
  const stream = open();
  const out: Uint8Array[] = [];
  for (const block of blocks) {
    if (stream.complaint === null && !stream.isEnded) out.push(stream.push(block));
  }
  const { complaint, isComplete, hasContent } = stream;
  const isClean = complaint === null && isComplete && hasContent;
  if (isClean) out.push(stream.end());
  const text = Buffer.concat(out).toString('utf8');
  const told = isClean ? text : text + client.errors.writeFrames(broken, 'req_1');
  return { out: text, complaint, isComplete, hasContent, isClean, told };
}

/** Frames as hosts mostly send them. */
export function framed({ frames, namesEvents }: SoundStream): readonly string[] {
  return frames.map((data) => frameOf(data, namesEvents));
}

export function frameOf(data: string, namesEvent: boolean): string {
  const type = /^\{"type":"([\w.]+)"/.exec(data)?.[1];
  return namesEvent && type !== undefined ? `event: ${type}\ndata: ${data}\n\n` : `data: ${data}\n\n`;
}

export const whole = (text: string): readonly Buffer[] => [Buffer.from(text)];

export function cutAt(bytes: Buffer, at: number): readonly Buffer[] {
  return [bytes.subarray(0, at), bytes.subarray(at)];
}

export function* singleBytes(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 1) yield bytes.subarray(at, at + 1);
}

/** The data of the frames of a text of whole frames, read as JSON where it is any. */
export function dataOf(text: string): readonly unknown[] {
  return [...framesOf(Buffer.from(text))].flatMap((frame) => {
    const data = readData(frame);
    return data === null ? [] : [data === '[DONE]' ? data : JSON.parse(data)];
  });
}
