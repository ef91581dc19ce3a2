/** What holds of every protocol that answers are written to and read from, whole and streamed. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { FrameSplitter, framesOf, readData } from '../../../base/sse.ts';
import type { JsonObject } from '../../json/fields.ts';
import type { ClientProtocol, EventReader, UpstreamProtocol } from '../../protocol.ts';
import type { InferenceRequest } from '../../translator.ts';
import type { TurnAnswer } from '../answer.ts';
import type { TurnEvent } from '../events.ts';
import { eventsOf, type Manner, manner, turnAnswer } from './arbitrary-answer.ts';
import { collectAnswer } from './collect-answer.ts';
import type { AnswerLoss, DeclaredLosses } from './losses.ts';
import { withoutAnswerLosses } from './remove-answer-losses.ts';

export interface AnswerLaws {
  readonly client: ClientProtocol;
  readonly upstream: UpstreamProtocol;
  readonly losses: DeclaredLosses;
  /** A request to which all of an answer is shown; left out where that is any. */
  readonly asked?: JsonObject;
}

export function answerLaws({ client, upstream, losses, asked = {} }: AnswerLaws): void {
  const request: InferenceRequest = {
    text: JSON.stringify(asked),
    json: asked,
    model: 'm',
    stream: true,
    wantsStreamUsage: true,
  };
  const all = new Set(losses.answer.map(({ what }) => what));
  const beforeWriting = new Set(losses.answer.flatMap(({ what, how }) => (how === 'dropped' ? [] : [what])));

  const throughWhole = (answer: TurnAnswer): TurnAnswer =>
    upstream.readAnswer(JSON.parse(client.writeAnswer(answer, request)));

  const written = (events: readonly TurnEvent[]): Buffer => {
    const writer = client.openWriter(request);
    return Buffer.from(events.map((event) => writer.write(event)).join(''));
  };

  const plain: Manner = { maxPiece: 99, interleaved: false, counts: 'last' };
  const throughStream = (answer: TurnAnswer): TurnAnswer => {
    const reader = upstream.openReader();
    const read = readPieces(reader, [written(eventsOf(answer, plain))]);
    reader.finish(read);
    return collectAnswer(read);
  };

  describe(`answers as ${client.name}`, () => {
    test('come back from writing as they were, but for the declared losses', () => {
      fc.assert(
        fc.property(turnAnswer, (answer) => {
          const before = withTimeOf(answer, withoutAnswerLosses(answer, beforeWriting));
          expect(throughWhole(before)).toEqual(withoutAnswerLosses(before, all));
        }),
        { numRuns: 200 },
      );
    });

    test('come back from a stream as they were, wherever its bytes are cut', () => {
      const cuts = fc.infiniteStream(fc.integer({ min: 1, max: 60 }));
      fc.assert(
        fc.property(turnAnswer, manner, cuts, (answer, how, sizes) => {
          const before = withTimeOf(answer, withoutAnswerLosses(answer, beforeWriting));
          const bytes = written(eventsOf(before, how));
          const reader = upstream.openReader();
          const read = readPieces(reader, cutBytes(bytes, sizes));
          expect(reader.complaint).toBeNull();
          expect(reader.isComplete).toBe(true);
          reader.finish(read);
          expect(collectAnswer(read)).toEqual(withoutAnswerLosses(before, all));
        }),
        { numRuns: 200 },
      );
    });

    test('never seem complete when their stream was cut before its end', () => {
      fc.assert(
        fc.property(turnAnswer, manner, fc.double({ min: 0, max: 1, noNaN: true }), (answer, how, share) => {
          const events = eventsOf({ ...answer, choices: answer.choices.slice(0, 1) }, how);
          const untilStop = events.slice(
            0,
            events.findIndex(({ type }) => type === 'stop'),
          );
          const bytes = written(untilStop);
          const reader = upstream.openReader();
          readPieces(reader, [bytes.subarray(0, Math.floor(bytes.length * share))]);
          expect(reader.isComplete).toBe(false);
        }),
        { numRuns: 200 },
      );
    });

    if (all.has('free-text tools')) {
      test('have free text in the one text of an object', () => {
        const others = new Set([...beforeWriting].filter((what) => what !== 'free-text tools'));
        fc.assert(
          fc.property(turnAnswer, (answer) => {
            const kept = withTimeOf(answer, withoutAnswerLosses(answer, others));
            const changed = withoutAnswerLosses(kept, new Set(['free-text tools']));
            expect(throughWhole(kept)).toEqual(throughWhole(changed));
            expect(throughStream(kept)).toEqual(throughStream(changed));
          }),
          { numRuns: 200 },
        );
      });
    }

    const samples = fc
      .sample(turnAnswer, { numRuns: 500, seed: 1 })
      .map((answer) => withTimeOf(answer, answer));

    test.each(losses.answer.map(({ what, how }) => [what, how] as const))('lose: %s (%s)', (what) => {
      const others: ReadonlySet<AnswerLoss> = new Set([...all].filter((other) => other !== what));
      const isLost = samples.some((answer) => {
        const kept = withoutAnswerLosses(answer, others);
        if (Bun.deepEquals(kept, withoutAnswerLosses(kept, all))) return false;
        return !Bun.deepEquals(throughWhole(kept), kept) || !Bun.deepEquals(throughStream(kept), kept);
      });
      expect(isLost).toBe(true);
    });
  });

  /** Where the protocol has a time, one that is missing is filled in by the clock. */
  function withTimeOf(answer: TurnAnswer, left: TurnAnswer): TurnAnswer {
    return all.has('time of creation') ? left : { ...left, createdS: answer.createdS ?? 1_700_000_000 };
  }
}

export function* cutBytes(bytes: Buffer, sizes: Iterator<number>): Generator<Uint8Array> {
  let at = 0;
  while (at < bytes.length) {
    const size: number = sizes.next().value;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

export function readPieces(reader: EventReader, pieces: Iterable<Uint8Array>): TurnEvent[] {
  const splitter = new FrameSplitter(1_000_000);
  const events: TurnEvent[] = [];
  for (const piece of pieces) {
    for (const frame of framesOf(splitter.push(piece))) {
      const data = readData(frame);
      if (data !== null) reader.read(data, events);
    }
  }
  return events;
}
