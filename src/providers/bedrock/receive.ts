/**
 * Answers of the upstream on their way to the protocol: binary streams become server-sent events, and what the API tells
 * outside its answer, the id of the request and the model, goes into it.
 */
import { type AnswerNames, converseFrame } from '../../protocols/converse/frame.ts';
import { receiveStream } from './receive-stream.ts';

export function receive(response: Response): Response {
  const { body } = response;
  const type = response.headers.get('content-type') ?? '';
  if (!response.ok || body === null) return response;
  const names = namesOf(response);
  if (type.startsWith('application/vnd.amazon.eventstream')) {
    const opening = converseFrame('answerStart', JSON.stringify(names));
    return answerWith(receiveStream(body, opening), 'text/event-stream');
  }
  return type.startsWith('application/json') ? answerWith(withNames(body, names), type) : response;
}

const answerWith = (body: ReadableStream<Uint8Array>, type: string): Response =>
  new Response(body, { headers: { 'content-type': type } });

function namesOf(response: Response): AnswerNames {
  const id = response.headers.get('x-amzn-requestid') ?? Bun.randomUUIDv7();
  return { id, model: modelOf(response.url) };
}

/** From the address. Of an ARN only what follows the account is shown, which is nobody's but ours. */
function modelOf(url: string): string {
  const [, encoded] = /\/model\/([^/]+)\/[^/]+$/.exec(url) ?? [];
  const model = decodeURIComponent(encoded ?? '');
  return model.slice(model.lastIndexOf('/') + 1);
}

const openBrace = 0x7b;

/** Puts the names in front of the first member of an object, without waiting for the rest of it. */
function withNames(body: ReadableStream<Uint8Array>, names: AnswerNames): ReadableStream<Uint8Array> {
  const members = new TextEncoder().encode(`${JSON.stringify(names).slice(0, -1)},`);
  let isFirst = true;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        const isOpening = isFirst && piece[0] === openBrace;
        if (piece.length > 0) isFirst = false;
        if (isOpening) controller.enqueue(members);
        controller.enqueue(isOpening ? piece.subarray(1) : piece);
      },
    }),
  );
}
