/** A request that visitors of the start page watch: sent through the gateway to the simulator, told as it happens. */
import { z } from 'zod';
import { networkOf } from '../../base/client-address.ts';
import { AppError } from '../../base/errors.ts';
import { eachData } from '../../base/sse.ts';
import { take } from '../../identity/index.ts';
import type { UsageRecord } from '../../usage/index.ts';
import { clientAddress } from '../client-facts.ts';
import { landingWords } from '../languages/landing/index.ts';
import { type Asked, type Route, route } from '../route.ts';
import { type Figures, figuresIn } from '../ui/figures.ts';
import { useWords } from '../ui/speech.tsx';
import { visitOf } from '../visit.ts';

export const liveRequestRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/demonstration',
    summary: 'Send the one request of the start page to the simulator, and watch it as server-sent events',
    tag: 'Public pages',
    access: 'anyone',
    answers: 'file',
    page: '/',
    refusals: { 404: 'There is no simulator here', 429: 'Too many look at this moment' },
    handle: watch,
  }),
];

async function watch({ context, services }: Asked): Promise<Response> {
  const { demonstration, clock } = services;
  if (demonstration?.isOffered !== true) throw notHere();
  await take(services, 'demonstration from address', networkOf(clientAddress(context, services)));
  const beganMs = clock.monotonicMs();
  const asked = await demonstration.ask(context.req.raw.signal);
  if (asked === null) throw notHere();
  if (!asked.answer.ok) {
    await asked.answer.body?.cancel();
    throw new AppError({
      code: 'rate_limited',
      public: 'Too many people look at this moment. Try again in a minute.',
      retryAfterSeconds: 60,
    });
  }
  const figures = figuresIn(visitOf(context).language);
  const telling = { elapsedMs: () => clock.monotonicMs() - beganMs, figures };
  const events = eventStream(asked.answer, (pieces) => eventsOf(pieces, asked.record, telling));
  return context.body(events, 200, { 'content-type': 'text/event-stream; charset=utf-8' });
}

const notHere = () =>
  new AppError({ code: 'not_found', public: 'This installation has no simulator to send a request to.' });

interface Telling {
  readonly elapsedMs: () => number;
  readonly figures: Figures;
}

/** Each piece of the answer with its time, and what is known of the request once it is over. */
async function* eventsOf(
  pieces: AsyncIterable<Piece>,
  record: () => Promise<UsageRecord | null>,
  telling: Telling,
): AsyncGenerator<object> {
  for await (const { text } of pieces) {
    if (text !== '') yield { text, atMs: telling.elapsedMs() };
  }
  const known = await record();
  if (known !== null) yield { record: writeRecord(known, telling.figures) };
}

/** An event of a stream of chat completions, and the text in it. */
export interface Piece {
  readonly text: string;
  readonly data: string;
}

/**
 * What is told of an answer, each as the data of a server-sent event. Who stops reading ends the answer at once, also
 * while nothing comes of it that is told: a generator's own `return` would wait for the next piece.
 */
export function eventStream(
  { body }: Response,
  eventsOf: (pieces: AsyncIterable<Piece>) => AsyncGenerator<object>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const reader = body?.getReader();
  const events = eventsOf(piecesOf(reader));
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await events.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(`data: ${JSON.stringify(value)}\n\n`));
    },
    async cancel(reason) {
      await reader?.cancel(reason);
      await events.return(undefined);
    },
  });
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function* piecesOf(reader: Reader | undefined): AsyncGenerator<Piece> {
  if (reader === undefined) return;
  let rest = '';
  const decoder = new TextDecoder();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      rest += decoder.decode(read.value, { stream: true });
      const end = rest.lastIndexOf('\n\n') + 2;
      if (end < 2) continue;
      const found: Piece[] = [];
      eachData(rest.slice(0, end), (data) => found.push({ text: textIn(data), data }));
      rest = rest.slice(end);
      yield* found;
    }
  } finally {
    await reader.cancel();
  }
}

const pieceShape = z.object({ choices: z.array(z.object({ delta: z.object({ content: z.string() }) })) });

function textIn(data: string): string {
  if (data === '[DONE]') return '';
  return pieceShape.safeParse(JSON.parse(data)).data?.choices[0]?.delta.content ?? '';
}

/** As the page shows it, in the reader's language: shares of the whole in percent. */
function writeRecord(record: UsageRecord, figures: Figures) {
  const { requestId, durationMs, overheadMs, firstByteMs, inputTokens, outputTokens, costNanoUsd } = record;
  const waitedMs = firstByteMs ?? 0;
  const streamedMs = Math.max(0, durationMs - overheadMs - waitedMs);
  const wholeMs = Math.max(durationMs, overheadMs + waitedMs + streamedMs, 0.1);
  const span = (fromMs: number, ms: number) => ({
    from: share(fromMs / wholeMs),
    width: Math.max(leastPercent, share(ms / wholeMs)),
    text: figures.span(ms),
  });
  return {
    id: requestId,
    spans: {
      gate: span(0, overheadMs),
      waited: span(overheadMs, waitedMs),
      streamed: span(overheadMs + waitedMs, streamedMs),
    },
    figures: {
      input: figures.count(inputTokens),
      output: figures.count(outputTokens),
      cost: figures.price(costNanoUsd),
    },
  };
}

/** Wide enough to be seen. */
const leastPercent = 0.6;
const share = (part: number): number => Math.round(part * 1000) / 10;

const spans = ['gate', 'waited', 'streamed'] as const;

/** Stays away until the island has something to show in it. */
export function LiveRequest() {
  const { live, spans: names, lines, bill } = useWords(landingWords).example;
  const nameOf = { gate: names.gate, waited: live.waited, streamed: names.streamed };
  return (
    <div data-live-shown hidden>
      <div class="example-parts">
        <div>
          <dl class="spans">
            {spans.map((key) => (
              <div>
                <dt>{nameOf[key]}</dt>
                <dd>
                  <svg width="100%" height="12" aria-hidden="true">
                    <rect class="track" y="5.5" width="100%" height="1" />
                    <rect class={key} x="0%" width="0%" height="12" rx="2" data-span={key} />
                  </svg>
                  <span class="number" data-span-text={key} />
                </dd>
              </div>
            ))}
          </dl>
          <section class="live-answer" aria-label={live.answer}>
            <p role="status" data-live-text />
          </section>
        </div>
        <table class="bill">
          <caption class="hidden">{bill}</caption>
          <tbody>
            <tr>
              <th scope="row">{lines.input}</th>
              <td class="end" data-figure="input" />
            </tr>
            <tr>
              <th scope="row">{lines.output}</th>
              <td class="end" data-figure="output" />
            </tr>
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{live.cost}</th>
              <td class="end" data-figure="cost" />
            </tr>
          </tfoot>
        </table>
      </div>
      <p class="quiet small">
        {live.note} <code data-live-id />
      </p>
    </div>
  );
}
