/** Reads an upstream's stream up to its first content, so that anything wrong before it can still go elsewhere. */
import { ReadableFrames } from '../protocols/frames/readable-frames.ts';
import type { StreamTranslator, UpstreamComplaint } from '../protocols/translator.ts';
import { invalidAnswerFailure, refusalFailure } from '../routing/index.ts';
import { readShortText, UpstreamFailedError } from './ask.ts';
import type { UpstreamCall } from './call.ts';

/** Frames held back while nothing of them shows the client anything, beside those that repeat the request. */
const maxHeldBytes = 1_048_576;
/** The Responses protocol repeats instructions, tools and formats in two or three events, and may write them longer. */
const mostRepeats = 4;
const maxFrameBytes = 16 * 1_048_576;

/** A stream whose first content has come. */
export interface OpenStream {
  readonly kind: 'stream';
  readonly call: UpstreamCall;
  readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly frames: ReadableFrames;
  readonly translator: StreamTranslator;
  /** What the client gets first. */
  readonly head: Uint8Array;
  /** The upstream has already sent everything. */
  readonly isDone: boolean;
}

export interface StreamOpening {
  readonly call: UpstreamCall;
  readonly translator: StreamTranslator;
  /** How long the request was, where the protocol repeats it before it answers. */
  readonly askedLength?: number;
  /** No piece may be dropped, since somebody else can be asked for it. */
  readonly isStrict?: boolean;
  readComplaint(body: string): UpstreamComplaint | null;
}

/** @throws UpstreamFailedError when it is no stream, complains or ends before any content. */
export async function openStream(response: Response, opening: StreamOpening): Promise<OpenStream> {
  const { call } = opening;
  const type = response.headers.get('content-type') ?? '';
  if (response.body === null || !type.startsWith('text/event-stream')) {
    const complaint = opening.readComplaint(await readShortText(response, call));
    throw complaint === null
      ? invalid(`a stream was asked for, and ${type || 'nothing'} came`)
      : refused(complaint, call);
  }
  const reader = response.body.getReader();
  try {
    return await readToContent(reader, opening);
  } catch (thrown) {
    // The provider may be asked once more in this call, so that its end alone would come too late.
    reader.cancel().catch(() => undefined);
    throw thrown;
  }
}

async function readToContent(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { call, translator, askedLength = 0, isStrict = false }: StreamOpening,
): Promise<OpenStream> {
  const frames = new ReadableFrames(maxFrameBytes, () => call.droppedFrame(), isStrict);
  const held: Uint8Array[] = [];
  let heldBytes = 0;
  while (true) {
    const { done, value } = await reader.read();
    const turn = call.turnToBegin();
    if (turn !== undefined) await turn;
    const block = done ? frames.close() : frames.push(value, true);
    if (block.length > 0) {
      const out = translator.push(block);
      held.push(out);
      heldBytes += out.length;
    }
    const { complaint } = translator;
    if (complaint !== null && !translator.hasContent) throw refused(complaint, call);
    if (frames.isSpoilt) throw invalid(spoiltStream);
    if (translator.hasContent) {
      // From here on the client sets the pace; its silence is not the upstream's.
      call.handOver();
      const head = held.length === 1 && held[0] !== undefined ? held[0] : Buffer.concat(held);
      return { kind: 'stream', call, reader, frames, translator, head, isDone: done };
    }
    if (done || translator.isEnded) throw invalid('the stream ended before it had any content');
    if (heldBytes > maxHeldBytes + mostRepeats * askedLength)
      throw invalid('too much came before any content');
  }
}

/** Of a stream with more pieces that nobody can read than are passed over, or one that must not be. */
export const spoiltStream = 'pieces of the stream were no JSON: too many of them, or one of a call';

const invalid = (reason: string) => new UpstreamFailedError(invalidAnswerFailure(reason));

const refused = (complaint: UpstreamComplaint, { secret }: UpstreamCall) =>
  new UpstreamFailedError(refusalFailure({ status: 200, complaint, secret }));
