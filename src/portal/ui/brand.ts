/** Whose house it looks like: Sluice's own, or that of a reseller whose host was asked. */

export interface Brand {
  readonly name: string;
  /** Path of a picture of this host; null is the mark of Sluice. */
  readonly logoPath: string | null;
  /** `#rrggbb`, from which shades are made that can be read; null is the accent of Sluice. */
  readonly accent: string | null;
}

export const sluiceBrand: Brand = { name: 'Sluice', logoPath: null, accent: null };
