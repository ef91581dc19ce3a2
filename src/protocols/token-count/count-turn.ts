/** An estimate of what a request will be billed as input, on the high side. README.md says how high. */
import { setImmediate } from 'node:timers/promises';
import type { TurnRequest } from '../turn/request.ts';
import { type ModelRates, ratesOf, scaleTokens } from './model-rates.ts';
import { sliceText } from './text-slices.ts';
import { openTokenizer } from './tokenizer.ts';
import { TurnWeight } from './turn-weight.ts';
import { weighBlock } from './weigh-blocks.ts';
import { weighFormat, weighTools } from './weigh-tools.ts';

/** What vendors write around a request, and around a message. */
const requestTokens = 8;
const messageTokens = 4;

/** After as much text everything else in the process has a turn. */
const sliceCharacters = 4096;

/** More text than any model takes is not tokenised: each character of the rest counts one. */
const mostCharacters = 8_000_000;

/** @param model the one that is asked, by its id at the upstream; without it the highest rates hold. */
export async function countTurnTokens(turn: TurnRequest, model?: string): Promise<number> {
  const weight = weighTurn(turn, ratesOf(model));
  return weight.fixedTokens + Math.ceil(await countTexts(weight));
}

function weighTurn(turn: TurnRequest, rates: ModelRates): TurnWeight {
  const weight = new TurnWeight(rates);
  weight.addTokens(requestTokens);
  if (turn.system.length > 0) weight.addTokens(messageTokens);
  for (const block of turn.system) weighBlock(block, weight);
  for (const message of turn.messages) {
    weight.addTokens(messageTokens);
    for (const block of message.content) weighBlock(block, weight);
  }
  weighTools(turn, weight);
  weighFormat(turn.responseFormat, weight);
  return weight;
}

async function countTexts({ texts, rates }: TurnWeight): Promise<number> {
  const tokenizer = await openTokenizer();
  let tokens = 0;
  let characters = 0;
  let nextTurn = sliceCharacters;
  for (const text of texts) {
    for (const slice of sliceText(text, sliceCharacters)) {
      if (characters >= mostCharacters) tokens += slice.length;
      else tokens += scaleTokens(tokenizer.count(slice), slice, rates);
      characters += slice.length;
      if (characters < nextTurn) continue;
      nextTurn = characters + sliceCharacters;
      await setImmediate();
    }
  }
  return tokens;
}
