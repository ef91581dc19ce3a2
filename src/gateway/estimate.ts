/**
 * Token counts for answers whose upstream gave none, or that ended before it could: the tokeniser's, taken after the
 * answer has gone. README.md says how good they are.
 */
import { AppError, describeThrown } from '../base/errors.ts';
import { noUsage, type TokenUsage, type Usage } from '../base/token-usage.ts';
import type { TextSample } from '../protocols/frames/generated-text.ts';
import { countTextsFor } from '../protocols/token-count/count-texts.ts';
import { countTypicalTokens } from '../protocols/token-count/count-turn.ts';
import { guessTokens } from '../protocols/token-count/guess-tokens.ts';
import type { InferenceRequest } from '../protocols/translator.ts';
import type { TurnRequest } from '../protocols/turn/request.ts';
import type { GatewayServices } from './services.ts';

/** What was used and has still to be counted. Rows with such counts are marked as estimated. */
export class UncountedUsage {
  readonly count: () => Promise<Usage>;
  /** At once, for when nobody can wait. */
  readonly guess: () => Usage;

  constructor({ count, guess }: Pick<UncountedUsage, 'count' | 'guess'>) {
    this.count = count;
    this.guess = guess;
  }
}

/** As the upstream told it, or to be counted. */
export type ChargedUsage = Usage | UncountedUsage;

/** What a stream took whose upstream has not told it to its end. */
export interface StreamEstimate {
  /** @param told what the upstream said of the prompt, and perhaps of a part of the answer. */
  of(told: TokenUsage | null, generated: TextSample): ChargedUsage;
}

/** For requests of which nothing but text is counted. */
export function uncountedTexts(
  model: string,
  texts: readonly string[],
  usageOf: (tokens: number) => Usage,
): UncountedUsage {
  return new UncountedUsage({
    count: async () => usageOf(await countTextsFor(model, texts)),
    guess: () => usageOf(texts.reduce((sum, text) => sum + guessTokens(text), 0)),
  });
}

/**
 * Counts once the answer is on its way: reading a long prompt for the count takes a while too. Settlement knows that it is
 * owed, and may ask for a guess.
 * @param pay is called once.
 */
export function countLater(
  uncounted: UncountedUsage,
  { settlement, log }: Pick<GatewayServices, 'settlement' | 'log'>,
  pay: (usage: Usage) => void,
): void {
  let isPaid = false;
  const payOnce = (usage: Usage): void => {
    if (isPaid) return;
    isPaid = true;
    pay(usage);
    paid();
  };
  const paid = settlement.owe(() => payOnce(uncounted.guess()));
  setImmediate(() => {
    if (isPaid) return;
    uncounted.count().then(payOnce, (thrown: unknown) => {
      log.error('usage could not be counted and is guessed', { detail: describeThrown(thrown) });
      payOnce(uncounted.guess());
    });
  });
}

export const nothingGenerated: TextSample = { texts: [], times: 1 };

/** What a chat request took, as far as its upstream did not say. */
export class ChatEstimate implements StreamEstimate {
  readonly #request: InferenceRequest;
  readonly #readTurn: (json: InferenceRequest['json']) => TurnRequest;
  readonly #model: string;

  /** @param model by its id at the upstream. */
  constructor(
    request: InferenceRequest,
    { model, readTurn }: { model: string; readTurn: (json: InferenceRequest['json']) => TurnRequest },
  ) {
    this.#request = request;
    this.#readTurn = readTurn;
    this.#model = model;
  }

  of(told: TokenUsage | null, { texts, times }: TextSample): UncountedUsage {
    const usageOf = (inputTokens: number, outputTokens: number): TokenUsage => {
      const known = told ?? { ...noUsage, inputTokens };
      return { ...known, outputTokens: Math.max(known.outputTokens, outputTokens), estimated: true };
    };
    return new UncountedUsage({
      count: async () => {
        const input = told === null ? await this.#countPrompt() : 0;
        return usageOf(input, Math.round((await countTextsFor(this.#model, texts)) * times));
      },
      guess: () => {
        const output = texts.reduce((sum, text) => sum + guessTokens(text), 0);
        return usageOf(guessTokens(this.#request.text), Math.round(output * times));
      },
    });
  }

  async #countPrompt(): Promise<number> {
    const { json, text } = this.#request;
    try {
      return await countTypicalTokens(this.#readTurn(json), this.#model);
    } catch (thrown) {
      // The upstream took what no other protocol has a place for.
      if (thrown instanceof AppError || thrown instanceof RangeError) return guessTokens(text);
      throw thrown;
    }
  }
}
