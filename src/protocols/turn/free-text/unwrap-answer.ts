/** Calls of a caller's free-text tools in an answer of a model that was given functions instead. */
import type { Choice, TurnAnswer } from '../answer.ts';
import { unwrapFreeText } from './unwrapper.ts';

/** @param names of the free-text tools that the caller declared. */
export function unwrapAnswer(answer: TurnAnswer, names: ReadonlySet<string>): TurnAnswer {
  if (names.size === 0) return answer;
  return { ...answer, choices: answer.choices.map((choice) => unwrapChoice(choice, names)) };
}

function unwrapChoice(choice: Choice, names: ReadonlySet<string>): Choice {
  const content = choice.content.map((block) =>
    block.type === 'tool_use' && block.custom !== true && names.has(block.name)
      ? ({ ...block, input: unwrapFreeText(block.input), custom: true } as const)
      : block,
  );
  return { ...choice, content };
}
