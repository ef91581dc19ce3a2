/** Made-up relevance: how many words of the query a document has, and no two documents alike. */

export interface Score {
  readonly index: number;
  readonly score: number;
}

/** From the best to the worst. */
export function scoresOf(query: string, documents: readonly string[]): Score[] {
  const words = wordsOf(query);
  return documents
    .map((document, index) => {
      const found = wordsOf(document).filter((word) => words.includes(word)).length;
      const share = Math.min(1, found / Math.max(1, words.length));
      // Earlier documents go before later ones that are as good.
      return { index, score: 0.05 + 0.9 * share + 0.04 / (index + 2) };
    })
    .toSorted((a, b) => b.score - a.score);
}

export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
