import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { EventReader } from '../protocol.ts';
import type { TurnEvent } from '../turn/events.ts';
import { CuttingReader, cutChoice } from './stop-cutter.ts';

/** Reads one text in the pieces that it is handed, with a call of a tool behind it. */
class PieceReader implements EventReader {
  isComplete = false;
  isEnded = false;
  readonly complaint = null;

  read(data: string, events: TurnEvent[]): void {
    if (data !== 'END') {
      events.push({ type: 'delta', choice: 0, block: 0, kind: 'text', text: data });
      return;
    }
    events.push(
      { type: 'close', choice: 0, block: 0 },
      { type: 'open', choice: 0, block: 1, head: { kind: 'tool_use', id: 'c', name: 'f' } },
      { type: 'close', choice: 0, block: 1 },
      { type: 'stop', choice: 0, stop: { reason: 'tool_use' } },
      { type: 'end' },
    );
    this.isComplete = true;
  }

  finish(): void {}
}

function stream(pieces: readonly string[], sequences: readonly string[]): TurnEvent[] {
  const reader = new CuttingReader(new PieceReader(), sequences);
  const events: TurnEvent[] = [{ type: 'open', choice: 0, block: 0, head: { kind: 'text' } }];
  for (const piece of [...pieces, 'END']) reader.read(piece, events);
  reader.finish(events);
  expect(reader.isComplete).toBe(true);
  return events;
}

const textOf = (events: readonly TurnEvent[]): string =>
  events.map((event) => (event.type === 'delta' ? event.text : '')).join('');
const stopOf = (events: readonly TurnEvent[]) =>
  events.flatMap((event) => (event.type === 'stop' ? [event.stop] : []));

/** Few letters, so that sequences are met, nearly met, and met across pieces. */
const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 30 });
const sequences = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 3,
});

describe('an answer that is cut at a stop sequence', () => {
  test('is the same whole and in any pieces', () => {
    fc.assert(
      fc.property(fc.array(letters.filter((piece) => piece !== '')), sequences, (pieces, stops) => {
        const text = pieces.join('');
        const whole = cutChoice({ content: [{ type: 'text', text }], stop: { reason: 'tool_use' } }, stops);
        const events = stream(pieces, stops);
        const [block] = whole.content;
        expect(textOf(events)).toBe(block?.type === 'text' ? block.text : '');
        expect(stopOf(events)).toEqual([whole.stop]);
        const isCut = whole.stop.reason === 'stop_sequence';
        expect(stops.some((stop) => text.includes(stop))).toBe(isCut);
        expect(events.filter(({ type }) => type === 'open')).toHaveLength(isCut ? 1 : 2);
        expect(events.filter(({ type }) => type === 'close')).toHaveLength(isCut ? 1 : 2);
        expect(events.at(-1)).toEqual({ type: 'end' });
      }),
    );
  });

  test('shows what cannot be the beginning of a sequence at once', () => {
    const reader = new CuttingReader(new PieceReader(), ['###']);
    const events: TurnEvent[] = [];
    reader.read('one #', events);
    expect(textOf(events)).toBe('one ');
    reader.read('two', events);
    expect(textOf(events)).toBe('one #two');
  });

  test('keeps thinking in front of it, and names the sequence', () => {
    const cut = cutChoice(
      {
        content: [
          { type: 'thinking', text: 'hm STOP' },
          { type: 'text', text: 'yes STOP no' },
        ],
        stop: { reason: 'end' },
      },
      ['STOP'],
    );
    expect(cut).toEqual({
      content: [
        { type: 'thinking', text: 'hm STOP' },
        { type: 'text', text: 'yes ' },
      ],
      stop: { reason: 'stop_sequence', sequence: 'STOP' },
    });
  });
});
