/**
 * One candidate of a generateContent stream. The protocol does not say where a block begins or ends: text and thoughts
 * go on until a part of another kind or a signature; calls come whole.
 */
import { asObject, asObjects, asText, type JsonObject } from '../json/fields.ts';
import type { TokenLogprob } from '../turn/answer.ts';
import { makeCallId } from '../turn/call-id.ts';
import type { BlockHead, TurnEvent } from '../turn/events.ts';
import { readLogprobs } from './logprobs.ts';
import { readCall } from './read-assistant.ts';
import { readGoogleStop } from './stop.ts';
import { readThoughtSignature } from './thought-signature.ts';

type SpokenKind = 'text' | 'thinking';

export class CandidateReader {
  isDone = false;
  readonly #choice: number;
  readonly #answerId: string;
  #nextBlock = 0;
  #spoken: { kind: SpokenKind; block: number } | null = null;
  #nameless = 0;
  #hasCalls = false;
  #logprobs: readonly TokenLogprob[] | undefined;

  constructor(choice: number, answerId: string) {
    this.#choice = choice;
    this.#answerId = answerId;
  }

  read(candidate: JsonObject, events: TurnEvent[]): void {
    if (this.isDone) return;
    this.#logprobs = readLogprobs(candidate['logprobsResult']);
    for (const part of asObjects(asObject(candidate['content'])?.['parts'])) this.#readPart(part, events);
    const reason = asText(candidate['finishReason']);
    if (reason !== undefined && reason !== '') this.finish(reason, events);
  }

  finish(reason: string, events: TurnEvent[]): void {
    if (this.isDone) return;
    this.isDone = true;
    this.#closeSpoken(events);
    events.push({ type: 'stop', choice: this.#choice, stop: readGoogleStop(reason, this.#hasCalls) });
  }

  #readPart(part: JsonObject, events: TurnEvent[]): void {
    const call = readCall(part, this.#nextId);
    const text = asText(part['text']);
    if (call !== undefined) {
      const { id, name, input, signature } = call;
      this.#hasCalls = true;
      const block = this.#open({ kind: 'tool_use', id, name, signature }, events);
      if (input !== '')
        events.push({ type: 'delta', choice: this.#choice, block, kind: 'input', text: input });
      this.#close(block, events);
    } else if (text === undefined) this.#closeSpoken(events);
    else if (part['thought'] === true) this.#think(text, part, events);
    else this.#sayText(text, part, events);
  }

  #think(text: string, part: JsonObject, events: TurnEvent[]): void {
    if (text !== '') this.#say('thinking', text, events);
    const signature = readThoughtSignature(part);
    if (signature === undefined) return;
    const block =
      this.#spoken?.kind === 'thinking' ? this.#spoken.block : this.#open({ kind: 'thinking' }, events);
    events.push({ type: 'signature', choice: this.#choice, block, signature });
    this.#close(block, events);
    this.#spoken = null;
  }

  #sayText(text: string, part: JsonObject, events: TurnEvent[]): void {
    if (text !== '') this.#say('text', text, events);
    const signature = readThoughtSignature(part);
    if (signature !== undefined)
      this.#close(this.#open({ kind: 'redacted_thinking', signature }, events), events);
  }

  #say(kind: SpokenKind, text: string, events: TurnEvent[]): void {
    if (this.#spoken?.kind !== kind) this.#spoken = { kind, block: this.#open({ kind }, events) };
    const { block } = this.#spoken;
    const logprobs = kind === 'text' ? this.#logprobs : undefined;
    if (kind === 'text') this.#logprobs = undefined;
    events.push({ type: 'delta', choice: this.#choice, block, kind, text, logprobs });
  }

  readonly #nextId = (): string => {
    this.#nameless += 1;
    return makeCallId({ answerId: this.#answerId, choice: this.#choice, at: this.#nameless - 1 });
  };

  #open(head: BlockHead, events: TurnEvent[]): number {
    this.#closeSpoken(events);
    const block = this.#nextBlock;
    this.#nextBlock += 1;
    events.push({ type: 'open', choice: this.#choice, block, head });
    return block;
  }

  #closeSpoken(events: TurnEvent[]): void {
    if (this.#spoken === null) return;
    this.#close(this.#spoken.block, events);
    this.#spoken = null;
  }

  #close(block: number, events: TurnEvent[]): void {
    events.push({ type: 'close', choice: this.#choice, block });
  }
}
