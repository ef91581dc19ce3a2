/** What holds of everything that a protocol's readers pass over: it is declared, and nothing around it goes with it. */
import { describe, expect, test } from 'bun:test';
import type { JsonObject } from '../../json/fields.ts';
import type { ClientProtocol, UpstreamProtocol } from '../../protocol.ts';
import { readPieces } from './answer-laws.ts';
import { collectAnswer } from './collect-answer.ts';
import type { DeclaredLosses, Loss, Unread } from './losses.ts';

/** Stands inside what is passed over, and nowhere else. */
export const marker = 'passed-over';

/** What stands in front of it and behind it, as text. */
export const before = 'Before. ';
export const after = 'After.';

export interface UnreadAnswer {
  readonly what: Unread;
  readonly whole: object;
  /** Frames. */
  readonly stream: string;
}

export interface UnreadRequest {
  readonly what: Unread;
  readonly json: JsonObject;
}

export interface UnreadLaws {
  readonly client: ClientProtocol;
  readonly upstream: UpstreamProtocol;
  readonly losses: DeclaredLosses;
  readonly answers: readonly UnreadAnswer[];
  readonly requests: readonly UnreadRequest[];
}

export function unreadLaws({ client, upstream, losses, answers, requests }: UnreadLaws): void {
  describe(`what is passed over in ${upstream.name}`, () => {
    test('is declared, each with an example', () => {
      expect(namesOf(answers)).toEqual(namesOf(losses.unread.answer));
      expect(namesOf(requests)).toEqual(namesOf(losses.unread.request));
    });

    test.each(answers)('in a whole answer: $what', ({ whole }) => {
      const { choices } = upstream.readAnswer(whole);
      expect(JSON.stringify(whole)).toContain(marker);
      expect(choices.map(({ content }) => closed(textOf(content)))).toEqual([before + after]);
    });

    test.each(answers)('in a stream: $what', ({ stream }) => {
      const reader = upstream.openReader();
      const events = readPieces(reader, [Buffer.from(stream)]);
      expect(reader.complaint).toBeNull();
      expect(reader.isComplete).toBe(true);
      reader.finish(events);
      expect(stream).toContain(marker);
      const { choices } = collectAnswer(events);
      expect(choices.map(({ content }) => closed(textOf(content)))).toEqual([before + after]);
    });

    test.each(requests)('in a request: $what', ({ json }) => {
      const { messages } = client.readRequest(json);
      expect(JSON.stringify(json)).toContain(marker);
      expect(messages.map(({ content }) => textOf(content)).join('')).toBe(before + after);
    });
  });
}

const namesOf = (all: readonly (Loss<Unread> | UnreadAnswer | UnreadRequest)[]): Unread[] => [
  ...new Set(all.map(({ what }) => what).toSorted()),
];

/** Messages of their own are told apart. */
const closed = (text: string): string => text.replace('\n\n', '');

/** Of plain text blocks; anything else is shown, so that it is found out. */
function textOf(content: readonly object[]): string {
  return content
    .map((block) => {
      const { type, text, ...rest } = { type: '', text: '', ...block };
      const isPlain = type === 'text' && Object.values(rest).every((value) => value === undefined);
      return isPlain ? text : JSON.stringify(block);
    })
    .join('');
}
