/**
 * Token counts for answers whose upstream gave none, or that ended before it could: the tokeniser's, taken after the
 * answer has gone. README.md says how good they are.
 */
import { AppError, describeThrown } from '../base/errors.ts';
import {
  type Extras,
  type ExtrasSoFar,
  filledExtras,
  noUsage,
  type ServiceTier,
  type TokenUsage,
  totalTokens,
  type Usage,
} from '../base/token-usage.ts';
import type { TextSample } from '../protocols/frames/generated-text.ts';
import { countTextsFor } from '../protocols/token-count/count-texts.ts';
import { countTypicalTokens } from '../protocols/token-count/count-turn.ts';
import { guessTokens } from '../protocols/token-count/guess-tokens.ts';
import type { InferenceRequest, StreamTranslator, WholeAnswer } from '../protocols/translator.ts';
import type { TurnRequest } from '../protocols/turn/request.ts';
import type { HiddenReasoning } from './hidden-reasoning.ts';
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

/** What a stream has told so far. */
type Told = Pick<StreamTranslator, 'usage' | 'usageSoFar' | 'extrasSoFar' | 'isComplete' | 'sampleGenerated'>;

/** What a stream took, whether its upstream has told it to its end or not. */
export interface StreamEstimate {
  of(told: Told): ChargedUsage;
}

/** Never throws: nobody who ends a stream, or goes on with it, has anybody left to tell. */
export function usageOfStream(
  { stream, estimate }: { stream: { readonly translator: StreamTranslator }; estimate: StreamEstimate },
  { requestId, log }: { requestId: string } & Pick<GatewayServices, 'log'>,
): ChargedUsage {
  const { translator } = stream;
  try {
    return estimate.of(translator);
  } catch (thrown) {
    log.error('usage could not be estimated', { requestId, detail: describeThrown(thrown) });
    // Four characters are a usual token.
    return { ...noUsage, outputTokens: Math.ceil(translator.generatedCharacters / 4), estimated: true };
  }
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

const nothingTold: Told = {
  usage: null,
  usageSoFar: null,
  isComplete: false,
  sampleGenerated: () => ({ texts: [], times: 1 }),
};
const nothingHidden = (): number => 0;

/** What an answer generated that its upstream did not count. */
interface Generated {
  readonly sample: TextSample;
  readonly extrasSoFar?: ExtrasSoFar | undefined;
  /** What was thought beside so many tokens that were shown. */
  readonly hiddenBy: (shownTokens: number) => number;
}

/** What a chat request took: as its upstream says, and an estimate of what it does not say. */
export class ChatEstimate implements StreamEstimate {
  readonly #request: InferenceRequest;
  readonly #readTurn: (json: InferenceRequest['json']) => TurnRequest;
  readonly #model: string;
  readonly #least: Extras | undefined;
  readonly #tier: ServiceTier | undefined;
  readonly #hidden: HiddenReasoning;

  /**
   * @param by `model` by its id at the upstream; `least` what was surely used beside tokens; `tier` the one that was asked
   *   for, which is taken for the one that serves an answer that ended before it said so; `hidden` what was thought and
   *   not shown of such a one.
   */
  constructor(
    request: InferenceRequest,
    by: {
      model: string;
      readTurn: (json: InferenceRequest['json']) => TurnRequest;
      least?: Extras | undefined;
      tier?: ServiceTier | undefined;
      hidden: HiddenReasoning;
    },
  ) {
    const { model, readTurn, least, tier, hidden } = by;
    this.#request = request;
    this.#readTurn = readTurn;
    this.#model = model;
    this.#least = least;
    this.#tier = tier;
    this.#hidden = hidden;
  }

  of(told: Told = nothingTold): ChargedUsage {
    const { usage, usageSoFar, extrasSoFar, isComplete } = told;
    if (usage !== null) return this.#counted(usage, isComplete);
    const sample = told.sampleGenerated();
    const { showsThoughts = false } = sample;
    const hiddenBy = isComplete ? nothingHidden : this.#hidden.cut({ showsThoughts, usageSoFar });
    return this.#estimate(usageSoFar, { sample, extrasSoFar, hiddenBy });
  }

  ofAnswer({ usage, generated }: WholeAnswer): ChargedUsage {
    if (usage !== null) return this.#counted(usage, true);
    return this.#estimate(null, { sample: { texts: [generated], times: 1 }, hiddenBy: nothingHidden });
  }

  /** A host that counts what it wrote and says that it read nothing has not counted that. */
  #counted(usage: TokenUsage, isWhole: boolean): ChargedUsage {
    if (isWhole) this.#hidden.learn(usage.outputTokens);
    const told = withLeast(usage, this.#least);
    if (isPromptTold(usage) || usage.outputTokens === 0) return told;
    const usageOf = (inputTokens: number): TokenUsage => ({ ...told, inputTokens, estimated: true });
    return new UncountedUsage({
      count: async () => usageOf(await this.#countPrompt()),
      guess: () => usageOf(guessTokens(this.#request.text)),
    });
  }

  /** @param told what the upstream said, perhaps of the prompt alone, or of a part of the answer. */
  #estimate(told: TokenUsage | null, { sample, extrasSoFar, hiddenBy }: Generated): UncountedUsage {
    const { texts, times } = sample;
    const extras = this.#extrasOf(told?.extras, extrasSoFar);
    const usageOf = (inputTokens: number, shownTokens: number): TokenUsage => {
      const known = told !== null && isPromptTold(told) ? told : { ...(told ?? noUsage), inputTokens };
      const hidden = hiddenBy(shownTokens);
      const outputTokens = Math.max(known.outputTokens, shownTokens + hidden);
      const reasoningTokens = known.reasoningTokens + hidden;
      return withLeast({ ...known, outputTokens, reasoningTokens, estimated: true, extras }, this.#least);
    };
    return new UncountedUsage({
      count: async () => {
        const input = told !== null && isPromptTold(told) ? 0 : await this.#countPrompt();
        return usageOf(input, Math.round((await countTextsFor(this.#model, texts)) * times));
      },
      guess: () => {
        const output = texts.reduce((sum, text) => sum + guessTokens(text), 0);
        return usageOf(guessTokens(this.#request.text), Math.round(output * times));
      },
    });
  }

  /** Of an answer that was cut: what its upstream told of it until then, and what it was asked for. */
  #extrasOf(told: Extras = {}, { tier, ...soFar }: ExtrasSoFar = {}): Extras | undefined {
    const most: Record<string, unknown> = { ...told };
    for (const [name, count = 0] of Object.entries(soFar)) {
      most[name] = Math.max(count, Number(most[name] ?? 0));
    }
    const served = tier ?? told.tier ?? this.#tier;
    return filledExtras({ ...most, tier: served === 'usual' ? undefined : served });
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

const isPromptTold = (told: TokenUsage): boolean => totalTokens(told) > told.outputTokens;

function withLeast(usage: TokenUsage, least: Extras | undefined): TokenUsage {
  const searches = least?.web_search ?? 0;
  if (searches <= (usage.extras?.web_search ?? 0)) return usage;
  return { ...usage, extras: { ...usage.extras, web_search: searches } };
}
