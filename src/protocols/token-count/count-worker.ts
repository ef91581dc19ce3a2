/** What runs in the thread that counts tokens. */
import { setImmediate } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { decodeText } from '../turn/media.ts';
import type { CountAnswer, Part, Portion, Question } from './counting-thread.ts';
import { audioTokens, imageTokens, pdfTokens } from './file-tokens.ts';
import { type ModelRates, scaleTokens } from './model-rates.ts';
import { openTokenizer, sliceText, type Tokenizer } from './tokenizer.ts';

/** After as much text the other jobs have a turn, so that a short one does not wait for a long one. */
const sliceCharacters = 4096;

/** More text than any model takes is not tokenised: each character of the rest counts one. */
const mostCharacters = 8_000_000;

const jobs = new Map<number, Part[]>();
let current: Portion | undefined;
let missing = 0;

parentPort?.on('message', (message: Portion | string) => {
  if (typeof message === 'string') {
    missing -= 1;
    if (current !== undefined) partsOf(current.job).push({ ...current, data: message });
  } else {
    current = message;
    missing = message.strings;
  }
  if (current?.isLast === true && missing === 0) void answer(current);
});

function partsOf(job: number): Part[] {
  const parts = jobs.get(job) ?? [];
  jobs.set(job, parts);
  return parts;
}

async function answer({ job, question }: Portion): Promise<void> {
  const parts = partsOf(job);
  jobs.delete(job);
  const told: CountAnswer = { job, number: await answerTo(question, parts) };
  parentPort?.postMessage(told);
}

async function answerTo(question: Question, parts: readonly Part[]): Promise<number> {
  const tokenizer = await openTokenizer();
  return question.kind === 'tokens'
    ? countAll(tokenizer, parts, question.rates)
    : findLonger(tokenizer, parts, question.limitTokens);
}

async function countAll(
  tokenizer: Tokenizer,
  parts: readonly Part[],
  rates: ModelRates | null,
): Promise<number> {
  let tokens = 0;
  let characters = 0;
  let nextTurn = sliceCharacters;
  for (const part of parts) {
    const text = textOf(part);
    if (text === null) {
      tokens += fileTokens(part, rates);
      await setImmediate();
      continue;
    }
    for (const slice of sliceText(text, sliceCharacters)) {
      if (characters >= mostCharacters) tokens += slice.length;
      else {
        const counted = tokenizer.count(slice);
        tokens += rates === null ? counted : scaleTokens(counted, slice, rates);
      }
      characters += slice.length;
      if (characters < nextTurn) continue;
      nextTurn = characters + sliceCharacters;
      await setImmediate();
    }
  }
  return tokens;
}

/** Null for what is no text. */
function textOf({ kind, data }: Part): string | null {
  if (kind === 'text') return data;
  return kind === 'text file' ? decodeText(data) : null;
}

function fileTokens({ kind, data, detail }: Part, rates: ModelRates | null): number {
  if (kind === 'image') {
    const source = { kind: 'base64', mediaType: '', data } as const;
    return imageTokens({ type: 'image', source, detail }, rates?.images ?? 'any');
  }
  return kind === 'audio' ? audioTokens(data) : pdfTokens(data);
}

async function findLonger(
  tokenizer: Tokenizer,
  parts: readonly Part[],
  limitTokens: number,
): Promise<number> {
  for (const [index, { data }] of parts.entries()) {
    if (tokenizer.count(data, limitTokens) > limitTokens) return index;
    await setImmediate();
  }
  return -1;
}
