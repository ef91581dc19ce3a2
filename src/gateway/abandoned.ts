/** A request whose client has gone before there was an answer: what it pays all the same. README.md has the rules. */
import { AppError } from '../base/errors.ts';
import type { Abandoned } from '../upstream/index.ts';
import type { Served } from './endpoint.ts';
import type { ChargedUsage } from './estimate.ts';
import { type RequestFacts, settleRequest } from './request-facts.ts';
import type { GatewayServices } from './services.ts';

export const clientClosed = (): AppError =>
  new AppError({ code: 'client_closed', public: 'The client closed the connection.' });

/** @returns what nobody will hear: an answer that came too late is paid for, and a prompt that a provider has. */
export async function settleAbandoned(
  { answer, isWithProvider }: Abandoned<Served>,
  { facts, services }: { readonly facts: RequestFacts; readonly services: GatewayServices },
): Promise<AppError> {
  const error = clientClosed();
  let usage: ChargedUsage | undefined;
  if (answer !== null) usage = usageOfUnheard(answer);
  else if (facts.owes !== null) usage = (await isWithProvider()) ? facts.owes.asked() : facts.owes.done();
  const end = { status: error.status, outcome: 'client_closed', errorCode: error.code } as const;
  settleRequest(facts, usage === undefined ? end : { ...end, usage }, services);
  return error;
}

/** It could begin when its client had gone. */
function usageOfUnheard(answer: Served): ChargedUsage {
  if (answer.kind === 'bytes') answer.bytes.call.cancel();
  if (answer.kind !== 'stream') return answer.usage;
  const { call, translator } = answer.stream;
  call.cancel();
  return answer.estimate.of(translator);
}
