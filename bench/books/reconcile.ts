/**
 * Holds a contender's books against the upstream's counts. A load tool that ends drops its last requests half-way;
 * only those, booked as left by the client, may differ.
 */
import { priceOf } from '../contenders/sluice-configuration.ts';
import { answerTokens, promptTokens } from '../load/question.ts';
import type { Books, UpstreamCounts } from './books.ts';

export interface Reconciliation {
  readonly title: string;
  /** Null where they could not be read, and nothing is checked. */
  readonly books: Books | null;
  readonly upstream: UpstreamCounts;
  /** Empty when all agrees. */
  readonly complaints: readonly string[];
}

export function reconcile(title: string, books: Books, upstream: UpstreamCounts): Reconciliation {
  const complaints = [
    ...compareRequests(books, upstream),
    ...compareTokens(books, upstream),
    ...checkMoney(books),
  ];
  return { title, books, upstream, complaints };
}

function compareRequests({ records, complete, clientClosed }: Books, { requests }: UpstreamCounts): string[] {
  const complaints: string[] = [];
  if (complete + clientClosed !== records) {
    complaints.push(`${records - complete - clientClosed} requests failed inside the gateway or upstream`);
  }
  if (Math.abs(records - requests) > clientClosed) {
    complaints.push(`${records} usage records for ${requests} requests at the upstream`);
  }
  return complaints;
}

function compareTokens({ complete, clientClosed, ofComplete }: Books, upstream: UpstreamCounts): string[] {
  const kinds = [
    { name: 'prompt', each: promptTokens, booked: ofComplete.promptTokens, stated: upstream.promptTokens },
    {
      name: 'completion',
      each: answerTokens,
      booked: ofComplete.completionTokens,
      stated: upstream.completionTokens,
    },
  ];
  return kinds.flatMap(({ name, each, booked, stated }) => {
    const complaints: string[] = [];
    if (booked !== complete * each) {
      complaints.push(`${booked} ${name} tokens booked for ${complete} complete answers of ${each}`);
    }
    if (stated < booked || stated > booked + clientClosed * each) {
      complaints.push(`${booked} ${name} tokens booked, ${stated} stated by the upstream`);
    }
    return complaints;
  });
}

function checkMoney(books: Books): string[] {
  const { all, costNanoUsd, chargedNanoUsd, depositsNanoUsd, balanceNanoUsd } = books;
  const complaints: string[] = [];
  if (costNanoUsd !== priceOf(all)) {
    complaints.push(`the records cost ${costNanoUsd} nano-USD, their tokens ${priceOf(all)}`);
  }
  if (chargedNanoUsd !== costNanoUsd) complaints.push(`charged ${chargedNanoUsd} of ${costNanoUsd} nano-USD`);
  if (depositsNanoUsd - chargedNanoUsd !== balanceNanoUsd) {
    complaints.push(
      `the wallet holds ${balanceNanoUsd} nano-USD, not ${depositsNanoUsd} less ${chargedNanoUsd}`,
    );
  }
  return complaints;
}
