/** What somebody asks of a list: which of its objects, from where on, and how many. */

export interface ListCondition {
  readonly field: string;
  /** `contains` compares letter by letter too. */
  readonly how: 'is' | 'contains';
  /** One of them has to fit. */
  readonly anyOf: readonly string[];
}

export interface ListQuery {
  /** All of them have to hold. */
  readonly conditions: readonly ListCondition[];
  /** Of the first object, from zero. */
  readonly offset: number;
  /** Null for all. */
  readonly limit: number | null;
}
