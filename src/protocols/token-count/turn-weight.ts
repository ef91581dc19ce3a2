/** What a request will cost, before anything is counted: its texts and files, and everything else in tokens. */
import type { Part } from './counting-thread.ts';
import type { ModelRates } from './model-rates.ts';

export class TurnWeight {
  readonly rates: ModelRates;
  readonly #parts: Part[] = [];
  #fixedTokens = 0;

  constructor(rates: ModelRates) {
    this.rates = rates;
  }

  get parts(): readonly Part[] {
    return this.#parts;
  }

  get fixedTokens(): number {
    return this.#fixedTokens;
  }

  addText(text: string | undefined): void {
    if (text !== undefined && text !== '') this.#parts.push({ kind: 'text', data: text });
  }

  /** A file in base64, which is looked at where texts are counted: that too takes a while. */
  addFile(part: Part): void {
    this.#parts.push(part);
  }

  addTokens(tokens: number): void {
    this.#fixedTokens += tokens;
  }
}
