/**
 * Answers of the upstream on their way to the protocol: binary streams become server-sent events, and what the API tells
 * outside its answer, the id of the request and the model, goes into it.
 */
import type { HttpAnswer } from '../../base/http-answer.ts';
import { type AnswerNames, converseFrame } from '../../protocols/converse/frame.ts';
import { asObject, tryParseJson } from '../../protocols/json/fields.ts';
import { BrokenMessageError, type EventMessage, MessageSplitter } from './event-message.ts';

export function receive(response: HttpAnswer, url: string): HttpAnswer {
  const { body } = response;
  const type = (response.headers.get('content-type') ?? '').toLowerCase();
  if (!response.ok || body === null) return response;
  const names = namesOf(response, url);
  if (type.startsWith('application/vnd.amazon.eventstream')) {
    const opening = converseFrame('answerStart', JSON.stringify(names));
    return answerWith(receiveStream(body, opening), 'text/event-stream');
  }
  return type.startsWith('application/json') ? answerWith(withNames(body, names), type) : response;
}

const answerWith = (body: ReadableStream<Uint8Array>, type: string): Response =>
  new Response(body, { headers: { 'content-type': type } });

function namesOf(response: HttpAnswer, url: string): AnswerNames {
  const id = response.headers.get('x-amzn-requestid') ?? Bun.randomUUIDv7();
  return { id, model: modelOf(url) };
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

/** @param opening frames that go before the first. */
function receiveStream(body: ReadableStream<Uint8Array>, opening: string): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const splitter = new MessageSplitter();
  const encoder = new TextEncoder();
  let isOpened = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (!isOpened) {
          isOpened = true;
          controller.enqueue(encoder.encode(opening));
          return;
        }
        while (true) {
          const { done, value } = await reader.read();
          if (done) return controller.close();
          const { frames, isBroken } = framesIn(splitter, value);
          if (frames !== '') controller.enqueue(encoder.encode(frames));
          if (isBroken) {
            controller.close();
            await reader.cancel();
            return;
          }
          if (frames !== '') return;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** A broken message ends the stream with an exception, behind the messages that came whole before it. */
function framesIn(splitter: MessageSplitter, piece: Uint8Array): { frames: string; isBroken: boolean } {
  const messages: EventMessage[] = [];
  let broken = '';
  try {
    splitter.push(piece, messages);
  } catch (thrown) {
    if (!(thrown instanceof BrokenMessageError)) throw thrown;
    broken = exceptionFrame({ type: 'brokenMessage', message: thrown.message });
  }
  return { frames: messages.map(frameOfMessage).join('') + broken, isBroken: broken !== '' };
}

function frameOfMessage({ headers, payload }: EventMessage): string {
  switch (headers.get(':message-type')) {
    case 'exception':
      return exceptionFrame({ ...asObject(tryParseJson(payload)), type: headers.get(':exception-type') });
    case 'error':
      return exceptionFrame({ type: headers.get(':error-code'), message: headers.get(':error-message') });
    default:
      return converseFrame(headers.get(':event-type') ?? '', payload);
  }
}

/** @param exception its type, its message and what else the vendor tells of it. */
function exceptionFrame(exception: object): string {
  return converseFrame('exception', JSON.stringify(exception));
}
