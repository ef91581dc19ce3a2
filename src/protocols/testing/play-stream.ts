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

export function play({ open, client }: StreamPair, pieces: Iterable<Uint8Array>): PlayedStream {
  const stream = open();
  const splitter = new FrameSplitter(1_000_000);
  const out: Uint8Array[] = [];
  const take = (block: Buffer) => {
    if (block.length > 0 && stream.complaint === null && !stream.isEnded) out.push(stream.push(block));
  };
  for (const piece of pieces) take(splitter.push(piece));
  take(closingBlock(splitter));
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
