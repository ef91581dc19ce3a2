/** What measurements are called. */
import type { ProtocolName } from '../load/question.ts';
import { isConverted, type Pairing } from '../run/pairing.ts';
import type { Scenario } from '../run/scenario.ts';

export function titleOf({ form, connections }: Scenario): string {
  const what = form === 'whole' ? 'Whole answers' : 'Streams of 100 chunks';
  return `${what}, ${connections} ${connections === 1 ? 'connection' : 'connections'}`;
}

const protocolTitles: Readonly<Record<ProtocolName, string>> = {
  chat: 'chat completions',
  messages: 'messages',
};

/** From the client to the upstream. */
export function titleOfPairing(pairing: Pairing): string {
  const { client, upstream } = pairing;
  const what = isConverted(pairing) ? 'converted' : 'passed through';
  return `${protocolTitles[client]} → ${protocolTitles[upstream]}, ${what}`;
}
