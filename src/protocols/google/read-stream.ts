/** This file reads generateContent streams into events: each frame is a piece of the answer in the shape of a whole one. */
import type { ExtrasSoFar } from '../../base/token-usage.ts';
import {
  asCount,
  asObject,
  asObjects,
  asText,
  isJsonObject,
  type JsonObject,
  tryParseJson,
} from '../json/fields.ts';
import { readSpelledBelow } from '../json/spelling.ts';
import type { EventReader } from '../protocol.ts';
import { brokenFrame, type UpstreamComplaint } from '../translator.ts';
import type { TokenLogprob } from '../turn/answer.ts';
import type { BlockHead, TurnEvent } from '../turn/events.ts';
import type { Signature } from '../turn/signature.ts';
import { TextGaps } from '../turn/text-gaps.ts';
import { makeCallId } from '../turn/tools.ts';
import { argumentMembers, isBlocked, isTrace, readCall, readHead, readImage } from './answer.ts';
import { readCitations } from './citations.ts';
import { googleComplaintIn } from './errors.ts';
import {
  countSearches,
  readFailure,
  readGoogleStop,
  readGoogleUsage,
  readLogprobs,
  readThoughtSignature,
  readToldTier,
  withSearches,
} from './outcome.ts';

/** The protocol lets callers ask for fewer candidates than this, so that one beyond it was asked for by nobody. */
const mostCandidates = 128;

export class GoogleEventReader implements EventReader {
  complaint: UpstreamComplaint | null = null;
  isEnded = false;
  #answerId: string | null = null;
  #searches = 0;
  #tier: ExtrasSoFar['tier'];
  readonly #candidates = new Map<number, CandidateReader>();

  /** A candidate ends with its finish reason; the protocol has no sign for the end of the stream. */
  get isComplete(): boolean {
    for (const candidate of this.#candidates.values()) if (!candidate.isDone) return false;
    return this.#candidates.size > 0;
  }

  get extrasSoFar(): ExtrasSoFar {
    return { web_search: this.#searches, tier: this.#tier };
  }

  read(data: string, events: TurnEvent[]): void {
    if (data === '' || this.isEnded) return;
    const piece = readSpelledBelow(data, argumentMembers) ?? tryParseJson(data);
    this.complaint ??= googleComplaintIn(piece);
    if (this.complaint !== null) return;
    if (isJsonObject(piece)) this.#readPiece(piece, events);
    else this.complaint = brokenFrame;
  }

  finish(events: TurnEvent[]): void {
    if (this.isEnded) return;
    this.isEnded = true;
    for (const candidate of this.#candidates.values()) candidate.finish('STOP', events);
    events.push({ type: 'end' });
  }

  #readPiece(piece: JsonObject, events: TurnEvent[]): void {
    const candidates = asObjects(piece['candidates']);
    // Told once, with the last words or before them.
    this.#searches = Math.max(this.#searches, countSearches(piece));
    this.#tier ??= readToldTier(piece['usageMetadata']);
    const usage = withSearches(readGoogleUsage(piece['usageMetadata']), this.#searches);
    const blocked = candidates.length === 0 && isBlocked(piece);
    if (candidates.length === 0 && usage === null && !blocked) return;
    const answerId = this.#start(piece, events);
    for (const candidate of candidates) {
      const index = asCount(candidate['index']) ?? 0;
      this.complaint ??= index >= mostCandidates ? brokenFrame : readFailure(candidate);
      if (this.complaint === null) this.#candidateAt(index, answerId).read(candidate, events);
    }
    if (blocked) this.#candidateAt(0, answerId).finish('SAFETY', events);
    if (usage !== null) events.push({ type: 'usage', usage });
  }

  #start(piece: JsonObject, events: TurnEvent[]): string {
    if (this.#answerId !== null) return this.#answerId;
    const head = readHead(piece);
    this.#answerId = head.id;
    events.push({ type: 'start', ...head, usage: null });
    return head.id;
  }

  #candidateAt(index: number, answerId: string): CandidateReader {
    const known = this.#candidates.get(index);
    if (known !== undefined) return known;
    const reader = new CandidateReader(index, answerId);
    this.#candidates.set(index, reader);
    return reader;
  }
}

type SpokenKind = 'text' | 'thinking';

/**
 * Reads one candidate. The protocol does not say where a block begins or ends: text and thoughts go on until a part of
 * another kind or a signature comes; calls come whole.
 */
export class CandidateReader {
  isDone = false;
  readonly #choice: number;
  readonly #answerId: string;
  #nextBlock = 0;
  #spoken: { kind: SpokenKind; block: number; text: string } | null = null;
  #texts = 0;
  /** Of the text that is spoken, in order; each is told when that ends. */
  readonly #signatures: Signature[] = [];
  readonly #gaps = new TextGaps();
  /** The last piece that tells what grounded the answer. */
  #grounded: JsonObject | null = null;
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
    if (candidate['groundingMetadata'] != null || candidate['citationMetadata'] != null) {
      this.#grounded = candidate;
    }
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
    } else if (text === undefined) {
      this.#closeSpoken(events);
      if (isTrace(part)) this.#gaps.passOver();
      const image = readImage(part);
      if (image !== undefined) events.push({ type: 'image', choice: this.#choice, image });
    } else if (part['thought'] === true) this.#think(text, part, events);
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
    if (signature === undefined) return;
    // A piece with words may be signed while its text goes on, which a block between would tear apart; one without words
    // stands between two texts.
    if (text === '') this.#sign(signature, events);
    else this.#signatures.push(signature);
  }

  #sign(signature: Signature, events: TurnEvent[]): void {
    this.#close(this.#open({ kind: 'redacted_thinking', signature }, events), events);
  }

  #say(kind: SpokenKind, text: string, events: TurnEvent[]): void {
    if (this.#spoken?.kind !== kind) {
      this.#spoken = { kind, block: this.#open({ kind }, events), text: '' };
      if (kind === 'text') this.#texts += 1;
    }
    const { block } = this.#spoken;
    const said = kind === 'text' ? this.#gaps.before(block) + text : text;
    this.#spoken.text += said;
    const logprobs = kind === 'text' ? this.#logprobs : undefined;
    if (kind === 'text') this.#logprobs = undefined;
    events.push({ type: 'delta', choice: this.#choice, block, kind, text: said, logprobs });
  }

  readonly #nextId = (): string => {
    this.#nameless += 1;
    return makeCallId({ answerId: this.#answerId, choice: this.#choice, at: this.#nameless - 1 });
  };

  #open(head: BlockHead, events: TurnEvent[]): number {
    this.#closeSpoken(events);
    if (head.kind !== 'text') this.#gaps.interrupt();
    const block = this.#nextBlock;
    this.#nextBlock += 1;
    events.push({ type: 'open', choice: this.#choice, block, head });
    return block;
  }

  #closeSpoken(events: TurnEvent[]): void {
    if (this.#spoken === null) return;
    if (this.#spoken.kind === 'text') this.#cite(this.#spoken, events);
    this.#close(this.#spoken.block, events);
    this.#spoken = null;
    for (const signature of this.#signatures.splice(0)) this.#sign(signature, events);
  }

  /** Segments are counted within all that was said. */
  #cite({ block, text }: { block: number; text: string }, events: TurnEvent[]): void {
    if (this.#grounded === null) return;
    for (const citation of readCitations(this.#grounded, this.#texts === 1 ? text : '')) {
      events.push({ type: 'citation', choice: this.#choice, block, citation });
    }
    this.#grounded = null;
  }

  #close(block: number, events: TurnEvent[]): void {
    events.push({ type: 'close', choice: this.#choice, block });
  }
}
