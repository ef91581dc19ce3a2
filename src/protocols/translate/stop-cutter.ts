/**
 * Stop sequences for upstreams whose protocol or model has none, or fewer: the answer is cut here. The upstream generates to its own end
 * and is paid for that, so the counts stay its own; the client sees nothing of what follows the sequence.
 */
import type { EventReader } from '../protocol.ts';
import type { Choice, TokenLogprob } from '../turn/answer.ts';
import type { AssistantBlock } from '../turn/blocks.ts';
import type { TurnEvent } from '../turn/events.ts';
import { ReaderOver } from './reader-over.ts';

/** The part of an answer before the first of the sequences in its text. */
export function cutChoice(choice: Choice, sequences: readonly string[]): Choice {
  const content: AssistantBlock[] = [];
  let length = 0;
  for (const block of choice.content) {
    const met = block.type === 'text' ? findFirst(block.text, sequences) : null;
    if (block.type !== 'text' || met === null) {
      content.push(block);
      if (block.type === 'text') length += block.text.length;
      continue;
    }
    const text = block.text.slice(0, met.at);
    if (text !== '') content.push({ ...block, text });
    const stop = { reason: 'stop_sequence', sequence: met.sequence } as const;
    return { ...choice, content, stop, logprobs: logprobsWithin(choice.logprobs, length + text.length) };
  }
  return choice;
}

/** Those of the tokens that make up so much of the text; the last one may go beyond. */
function logprobsWithin(logprobs: Choice['logprobs'], length: number): Choice['logprobs'] {
  let at = 0;
  return logprobs?.filter(({ token }) => {
    at += token.length;
    return at - token.length < length;
  });
}

/** The same for a stream of one choice: text that could be the beginning of a sequence waits for what follows it. */
export class CuttingReader extends ReaderOver {
  readonly #sequences: readonly string[];
  readonly #beginnings: readonly Beginning[];
  readonly #held = new Map<number, string>();
  /** Of text that waits as a whole. */
  readonly #heldLogprobs = new Map<number, readonly TokenLogprob[]>();
  readonly #open = new Set<number>();
  #met: string | null = null;
  #hasStopped = false;

  constructor(reader: EventReader, sequences: readonly string[]) {
    super(reader);
    this.#sequences = sequences;
    this.#beginnings = sequences.map((sequence) => new Beginning(sequence));
  }

  /** The client has all of its answer once a sequence was met: what becomes of the rest takes nothing from it. */
  override get isComplete() {
    return this.#met !== null || super.isComplete;
  }

  override get complaint() {
    return this.#met === null ? super.complaint : null;
  }

  protected override pass(event: TurnEvent, events: TurnEvent[]): void {
    if (event.type === 'stop' && this.#met !== null) this.#stop(this.#met, events);
    else if (event.type === 'end' && this.#met !== null) {
      // Of an upstream that broke off, which has said no stop itself.
      this.#stop(this.#met, events);
      events.push(event);
    } else if ('block' in event) {
      if (this.#met === null) this.#passBlock(event, events);
    } else events.push(event);
  }

  #stop(sequence: string, events: TurnEvent[]): void {
    if (this.#hasStopped) return;
    this.#hasStopped = true;
    events.push({ type: 'stop', choice: 0, stop: { reason: 'stop_sequence', sequence } });
  }

  #passBlock(event: Extract<TurnEvent, { block: number }>, events: TurnEvent[]): void {
    const { choice, block } = event;
    const held = this.#held.get(block) ?? '';
    if (event.type === 'close' && held !== '') {
      const logprobs = this.#heldLogprobs.get(block);
      events.push({ type: 'delta', kind: 'text', choice, block, text: held, logprobs });
    }
    if (event.type === 'open') this.#open.add(block);
    else if (event.type === 'close') this.#open.delete(block);
    if (event.type !== 'delta' || event.kind !== 'text') {
      events.push(event);
      return;
    }
    const text = held + event.text;
    const met = findFirst(text, this.#sequences);
    const length = met?.at ?? text.length - heldLength(text, this.#beginnings);
    this.#held.set(block, text.slice(length));
    const logprobs = joinLogprobs(this.#heldLogprobs.get(block), event.logprobs);
    if (length > 0) {
      this.#heldLogprobs.delete(block);
      const shown = met === null ? logprobs : logprobsWithin(logprobs, length);
      events.push({ ...event, text: text.slice(0, length), logprobs: shown });
    } else if (logprobs !== undefined) this.#heldLogprobs.set(block, logprobs);
    if (met === null) return;
    this.#met = met.sequence;
    this.#open.add(block);
    for (const open of this.#open) events.push({ type: 'close', choice, block: open });
  }
}

type Logprobs = readonly TokenLogprob[] | undefined;

const joinLogprobs = (before: Logprobs, later: Logprobs): Logprobs =>
  before === undefined ? later : [...before, ...(later ?? [])];

/** The sequence that is whole first, as one who writes the text would meet it; of two that end together, the longer. */
function findFirst(text: string, sequences: readonly string[]): { at: number; sequence: string } | null {
  let first: { at: number; end: number; sequence: string } | null = null;
  for (const sequence of sequences) {
    const at = text.indexOf(sequence);
    const end = at + sequence.length;
    if (at === -1 || (first !== null && (end > first.end || (end === first.end && at >= first.at)))) continue;
    first = { at, end, sequence };
  }
  return first;
}

/** How much of the end of a text could be the beginning of a sequence. */
function heldLength(text: string, beginnings: readonly Beginning[]): number {
  let longest = 0;
  for (const beginning of beginnings) longest = Math.max(longest, beginning.lengthAtEndOf(text));
  return longest;
}

/**
 * Finds the beginning of a sequence at the end of a text in one walk, as Knuth, Morris and Pratt do: callers choose the
 * sequences and models the texts, and each piece of an answer is looked at.
 */
class Beginning {
  readonly #sequence: string;
  /** For each beginning of the sequence, the longest shorter one that it ends in. */
  readonly #shorter: Uint32Array;

  constructor(sequence: string) {
    this.#sequence = sequence;
    this.#shorter = new Uint32Array(sequence.length);
    let length = 0;
    for (let at = 1; at < sequence.length; at += 1) {
      length = this.#next(length, sequence.charCodeAt(at));
      this.#shorter[at] = length;
    }
  }

  /** The whole sequence is not asked for. */
  lengthAtEndOf(text: string): number {
    let length = 0;
    for (let at = Math.max(0, text.length - this.#sequence.length + 1); at < text.length; at += 1) {
      length = this.#next(length, text.charCodeAt(at));
    }
    return length;
  }

  #next(length: number, code: number): number {
    let known = length;
    while (known > 0 && this.#sequence.charCodeAt(known) !== code) known = this.#shorter[known - 1] ?? 0;
    return this.#sequence.charCodeAt(known) === code ? known + 1 : known;
  }
}
