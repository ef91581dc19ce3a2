/** What holds of every protocol whose callers have free-text tools, over a model that knows functions only. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { JsonObject } from '../../json/fields.ts';
import type { InferenceRequest } from '../../translator.ts';
import type { TurnAnswer } from '../answer.ts';
import { asFunctionCall } from '../free-text/as-function.ts';
import { type AnswerLaws, cutBytes, readPieces } from './answer-laws.ts';
import { eventsOf, manner, turnAnswer } from './arbitrary-answer.ts';
import { collectAnswer } from './collect-answer.ts';
import { withoutAnswerLosses } from './remove-answer-losses.ts';

export interface FreeTextLaws extends AnswerLaws {
  /** A free-text tool as a caller declares it. */
  readonly declare: (name: string) => JsonObject;
}

export function freeTextLaws({ client, upstream, losses, declare }: FreeTextLaws): void {
  const all = new Set(losses.answer.map(({ what }) => what));
  const answers = turnAnswer.map((answer) => tidy(withoutAnswerLosses(answer, all)));

  const requestFor = (answer: TurnAnswer): InferenceRequest => {
    const tools = [...namesIn(answer)].map(declare);
    return { text: '', json: { tools }, model: 'm', stream: true, wantsStreamUsage: true };
  };

  describe(`free text as ${client.name}`, () => {
    test('comes out of what the model wrote as JSON', () => {
      fc.assert(
        fc.property(answers, (answer) => {
          const written = client.writeAnswer(withFunctionCalls(answer), requestFor(answer));
          expect(upstream.readAnswer(JSON.parse(written))).toEqual(answer);
        }),
        { numRuns: 200 },
      );
    });

    test('comes out of a stream of it, wherever that is cut', () => {
      const cuts = fc.infiniteStream(fc.integer({ min: 1, max: 60 }));
      fc.assert(
        fc.property(answers, manner, cuts, (answer, how, sizes) => {
          const writer = client.openWriter(requestFor(answer));
          const events = eventsOf(withFunctionCalls(answer), how);
          const bytes = Buffer.from(events.map((event) => writer.write(event)).join(''));
          const reader = upstream.openReader();
          const read = readPieces(reader, cutBytes(bytes, sizes));
          reader.finish(read);
          expect(collectAnswer(read)).toEqual(answer);
        }),
        { numRuns: 200 },
      );
    });
  });
}

const freeTextNames = (answer: TurnAnswer): string[] =>
  answer.choices.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'tool_use' && block.custom === true ? [block.name] : [])),
  );

const namesIn = (answer: TurnAnswer): ReadonlySet<string> => new Set(freeTextNames(answer));

function withFunctionCalls(answer: TurnAnswer): TurnAnswer {
  return {
    ...answer,
    choices: answer.choices.map((choice) => ({ ...choice, content: choice.content.map(asFunctionCall) })),
  };
}

/** No function has the name of a free-text tool, and a time is there for protocols that would make one up. */
function tidy(answer: TurnAnswer): TurnAnswer {
  const rename = (name: string): string => `free_${name}`;
  return {
    ...answer,
    createdS: answer.createdS ?? 1_700_000_000,
    choices: answer.choices.map((choice) => ({
      ...choice,
      content: choice.content.map((block) =>
        block.type === 'tool_use' && block.custom === true ? { ...block, name: rename(block.name) } : block,
      ),
    })),
  };
}
