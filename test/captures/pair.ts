/** The two protocols of a conversion, as the losses of their requests see it. */
import type { DeclaredLosses, RequestLoss, Unread } from '../../src/protocols/turn/testing/losses.ts';
import type { Asked } from './asked/asked.ts';

export interface Pair {
  readonly from: DeclaredLosses;
  readonly to: DeclaredLosses;
  /** The converted request, for losses that leave the converter a choice. */
  readonly found: Asked;
}

/** What a declared loss makes of the recorded request. */
export type Excuses = Partial<Record<RequestLoss | Unread, (asked: Asked, pair: Pair) => Asked>>;
