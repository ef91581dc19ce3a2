/** Takes declared losses out of an answer. One entry for each loss there is, in the order in which they apply. */
import { type TokenUsage, totalTokens } from '../../../base/token-usage.ts';
import type { Choice, Stop, TokenLogprob, TurnAnswer } from '../answer.ts';
import { asFunctionCall } from '../free-text/as-function.ts';
import type { AnswerLoss } from './losses.ts';
import {
  inOrder,
  joinNeighbours,
  joinTexts,
  joinUnsigned,
  refusalsAsText,
  wholeArguments,
  withBreaks,
} from './remove-block-losses.ts';

const removers: Readonly<Record<AnswerLoss, (answer: TurnAnswer) => TurnAnswer>> = {
  'several choices': (answer) => ({ ...answer, choices: answer.choices.slice(0, 1) }),
  'free-text tools': (answer) =>
    eachChoice(answer, (choice) => ({ ...choice, content: choice.content.map(asFunctionCall) })),
  'arguments that are no JSON object': (answer) =>
    eachChoice(answer, (choice) => ({ ...choice, content: wholeArguments(choice.content) })),
  refusals: (answer) =>
    eachChoice(answer, (choice) => ({ ...choice, content: refusalsAsText(choice.content) })),
  'blocks in another order': (answer) =>
    eachChoice(answer, (choice) => ({ ...choice, content: inOrder(withBreaks(choice.content)) })),
  'unsigned thinking in pieces': (answer) =>
    eachChoice(answer, (choice) => ({ ...choice, content: joinUnsigned(choice.content) })),
  'pieces of text': (answer) =>
    eachChoice(answer, (choice) => ({ ...choice, content: joinTexts(choice.content) })),
  'stop reasons apart': (answer) =>
    eachChoice(answer, (choice) => ({ ...choice, stop: fewerReasons(choice.stop) })),
  'stop sequence that was met': (answer) =>
    eachChoice(answer, (choice) => ({ ...choice, stop: { reason: choice.stop.reason } })),
  logprobs: (answer) => eachChoice(answer, (choice) => ({ ...choice, logprobs: undefined })),
  'lifetimes of cache writes': (answer) => ({
    ...answer,
    usage:
      answer.usage === null
        ? null
        : {
            ...answer.usage,
            cacheWrite5mTokens: answer.usage.cacheWrite5mTokens + answer.usage.cacheWrite1hTokens,
            cacheWrite1hTokens: 0,
          },
  }),
  'counts of nothing': (answer) => ({
    ...answer,
    usage: answer.usage === null || totalTokens(answer.usage) === 0 ? null : answer.usage,
  }),
  'time of creation': (answer) => ({ ...answer, createdS: undefined }),
  'counts of reasoning': (answer) => ({
    ...answer,
    usage: answer.usage === null ? null : { ...answer.usage, reasoningTokens: 0 },
  }),
  pauses: (answer) =>
    eachChoice(answer, (choice) =>
      choice.stop.reason === 'pause' ? { ...choice, stop: { ...choice.stop, reason: 'end' } } : choice,
    ),
  'neighbouring texts': (answer) =>
    eachChoice(answer, (choice) => ({ ...choice, content: joinNeighbours(choice.content) })),
  'a stop for tools without any': (answer) => eachChoice(answer, withoutIdleStop),
  'bytes of logprobs': (answer) =>
    eachChoice(answer, (choice) => ({ ...choice, logprobs: choice.logprobs?.map(withoutBytes) })),
  'cache writes': (answer) => ({
    ...answer,
    usage: answer.usage === null ? null : writesAsInput(answer.usage),
  }),
};

export function withoutAnswerLosses(answer: TurnAnswer, losses: ReadonlySet<AnswerLoss>): TurnAnswer {
  let left = answer;
  for (const [what, remove] of Object.entries(removers)) {
    if (losses.has(what as AnswerLoss)) left = remove(left);
  }
  return left;
}

function eachChoice(answer: TurnAnswer, map: (choice: Choice) => Choice): TurnAnswer {
  return { ...answer, choices: answer.choices.map(map) };
}

function fewerReasons(stop: Stop): Stop {
  if (stop.reason === 'pause' || stop.reason === 'stop_sequence') return { ...stop, reason: 'end' };
  return stop.reason === 'context_window' ? { ...stop, reason: 'max_tokens' } : stop;
}

/** The protocol knows no end in tool use but the uses themselves. */
function withoutIdleStop(choice: Choice): Choice {
  const hasCalls = choice.content.some(({ type }) => type === 'tool_use');
  return choice.stop.reason === 'tool_use' && !hasCalls
    ? { ...choice, stop: { ...choice.stop, reason: 'end' } }
    : choice;
}

function withoutBytes(token: TokenLogprob): TokenLogprob {
  return { ...token, bytes: null, top: token.top.map((one) => ({ ...one, bytes: null })) };
}

function writesAsInput(usage: TokenUsage): TokenUsage {
  const { inputTokens, cacheWrite5mTokens, cacheWrite1hTokens } = usage;
  return {
    ...usage,
    inputTokens: inputTokens + cacheWrite5mTokens + cacheWrite1hTokens,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 0,
  };
}
