/** What a page is made of that is words alone. What stands between backticks is code. */

interface Section {
  readonly title: string;
  /** Each with a name in front. */
  readonly points: readonly (readonly [name: string, text: string])[];
}

export interface Article {
  readonly title: string;
  readonly description: string;
  readonly lead: string;
  readonly sections: readonly Section[];
}
