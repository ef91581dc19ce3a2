/** Reasoning that a protocol asks for in other words: by an effort, by a budget of tokens, or by a switch. */
import type { Asked, AskedReasoning } from './asked/asked.ts';
import type { Pair } from './pair.ts';

/** How much, roughly: what the words of two protocols must agree on. */
type Amount = 'off' | 'on' | 'little' | 'some' | 'much' | 'unsaid';

const byEffort: Readonly<Record<string, Amount>> = {
  none: 'off',
  minimal: 'little',
  low: 'little',
  medium: 'some',
  high: 'much',
  xhigh: 'much',
  max: 'much',
};

/** Takes the words of the converted request, as far as they ask for as much. */
export function reasoningInOtherWords(asked: Asked, { to, found }: Pair): Asked {
  const wanted = amountOf(asked.reasoning);
  const told = amountOf(found.reasoning);
  // Claude refuses to think when it must use a tool.
  const mayThink = to.vendor !== 'anthropic' || !mustUseTool(asked);
  if (asked.reasoning.isOn === true && found.reasoning.isOn !== true && mayThink) return asked;
  // Not every upstream can be told not to think; none may be told to think when the caller said nothing, or no.
  const isOff = wanted === 'off' && told === 'unsaid' && to.vendor !== 'google';
  const isByBudget = asked.reasoning.budget !== undefined && wanted !== 'off';
  const isOn = (wanted === 'on' && !isNothing(told)) || (told === 'on' && isByBudget);
  return wanted === told || isOff || isOn || isShared(asked, found)
    ? { ...asked, reasoning: found.reasoning }
    : asked;
}

/** Of a bound that would be too small for both, the answer keeps half. */
const isShared = ({ maxOutputTokens: bound }: Asked, { reasoning: { budget } }: Asked): boolean =>
  typeof bound === 'number' && budget === Math.floor(bound / 2);

const mustUseTool = ({ toolChoice }: Asked): boolean =>
  toolChoice === 'required' || (typeof toolChoice !== 'string' && toolChoice.required);

const isNothing = (amount: Amount): boolean => amount === 'off' || amount === 'unsaid';

function amountOf({ isOn, effort, budget }: AskedReasoning): Amount {
  if (isOn === false) return 'off';
  if (typeof effort === 'string') return byEffort[effort] ?? 'unsaid';
  if (typeof budget === 'number') return budget < 4096 ? 'little' : budget < 16_384 ? 'some' : 'much';
  return isOn === true ? 'on' : 'unsaid';
}
