/** What a request will cost, before its texts are tokenised: the texts, and everything that is no text in tokens. */
import type { ModelRates } from './model-rates.ts';

export class TurnWeight {
  readonly rates: ModelRates;
  readonly #texts: string[] = [];
  #fixedTokens = 0;

  constructor(rates: ModelRates) {
    this.rates = rates;
  }

  get texts(): readonly string[] {
    return this.#texts;
  }

  get fixedTokens(): number {
    return this.#fixedTokens;
  }

  addText(text: string | undefined): void {
    if (text !== undefined && text !== '') this.#texts.push(text);
  }

  addTokens(tokens: number): void {
    this.#fixedTokens += tokens;
  }
}
