/** Opens an answer of bytes, such as speech, up to its first piece. */
import type { UpstreamComplaint } from '../protocols/translator.ts';
import { invalidAnswerFailure, refusalFailure } from '../routing/index.ts';
import { readShortText, UpstreamFailedError } from './ask.ts';
import type { UpstreamCall } from './call.ts';

/** Bytes whose first piece has come. */
export interface OpenBytes {
  readonly kind: 'bytes';
  readonly call: UpstreamCall;
  readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly head: Uint8Array;
  readonly contentType: string;
}

export interface BytesOpening {
  readonly call: UpstreamCall;
  readonly contentType: string;
  /** Of a content type: it names what was not asked for. */
  isOther(type: string): boolean;
  readComplaint(body: string): UpstreamComplaint | null;
}

/** @throws UpstreamFailedError when text, other bytes or nothing came. */
export async function openBytes(response: Response, opening: BytesOpening): Promise<OpenBytes> {
  const { call, contentType } = opening;
  const type = response.headers.get('content-type') ?? '';
  if (response.body === null || /^(?:application\/json|text\/)/.test(type)) {
    const complaint = opening.readComplaint(await readShortText(response, call));
    throw new UpstreamFailedError(
      complaint === null
        ? invalidAnswerFailure(`audio was asked for, and ${type || 'nothing'} came`)
        : refusalFailure({ status: 200, complaint, secret: call.secret }),
    );
  }
  if (opening.isOther(type)) {
    throw new UpstreamFailedError(invalidAnswerFailure(`${contentType} was asked for, and ${type} came`));
  }
  const reader = response.body.getReader();
  while (true) {
    const { done, value } = await reader.read();
    if (done) throw new UpstreamFailedError(invalidAnswerFailure('the answer has no bytes'));
    if (value.length === 0) continue;
    // From here on the client sets the pace; its silence is not the upstream's.
    call.handOver();
    return { kind: 'bytes', call, reader, head: value, contentType };
  }
}
