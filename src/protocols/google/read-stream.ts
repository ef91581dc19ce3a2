/** Streams of generateContent into events: each frame is a piece of the answer in the shape of a whole one. */

import { asCount, asObjects, isJsonObject, type JsonObject, tryParseJson } from '../json/fields.ts';
import type { EventReader } from '../protocol.ts';
import { brokenFrame, type UpstreamComplaint } from '../translator.ts';
import type { TurnEvent } from '../turn/events.ts';
import { CandidateReader } from './candidate-reader.ts';
import { googleComplaintIn } from './complaint.ts';
import { isBlocked, readHead } from './read-answer.ts';
import { readFailure } from './stop.ts';
import { readGoogleUsage } from './usage.ts';

/** More than the protocol lets callers ask for; a candidate beyond it is nobody's. */
const mostCandidates = 128;

export class GoogleEventReader implements EventReader {
  complaint: UpstreamComplaint | null = null;
  isEnded = false;
  #answerId: string | null = null;
  readonly #candidates = new Map<number, CandidateReader>();

  /** Nothing but its reason tells a candidate's end, and nothing the stream's. */
  get isComplete(): boolean {
    for (const candidate of this.#candidates.values()) if (!candidate.isDone) return false;
    return this.#candidates.size > 0;
  }

  read(data: string, events: TurnEvent[]): void {
    if (data === '' || this.isEnded) return;
    const piece = tryParseJson(data);
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
    const usage = readGoogleUsage(piece['usageMetadata']);
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
