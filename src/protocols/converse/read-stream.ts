/** Streams of the Converse API, in the frames that `frame.ts` describes, into events. */

import { asCount, asObject, asText, isJsonObject, type JsonObject, tryParseJson } from '../json/fields.ts';
import type { EventReader } from '../protocol.ts';
import { brokenFrame, type UpstreamComplaint } from '../translator.ts';
import type { TurnEvent } from '../turn/events.ts';
import { BlockReader } from './block-reader.ts';
import { failedStopIn, readException } from './complaint.ts';
import { readConverseStop } from './stop.ts';
import { readConverseUsage } from './usage.ts';

export class ConverseEventReader implements EventReader {
  complaint: UpstreamComplaint | null = null;
  isEnded = false;
  #isStarted = false;
  #hasStopped = false;
  #names: JsonObject = {};
  readonly #blocks = new BlockReader();

  /** After the reason for the end only the counts are still to come. */
  get isComplete(): boolean {
    return this.#hasStopped;
  }

  read(data: string, events: TurnEvent[]): void {
    if (data === '' || this.isEnded) return;
    const frame = tryParseJson(data);
    const [entry] = isJsonObject(frame) ? Object.entries(frame) : [];
    const payload = asObject(entry?.[1]);
    if (entry === undefined || payload === undefined) this.complaint ??= brokenFrame;
    else this.#readEvent(entry[0], payload, events);
  }

  finish(events: TurnEvent[]): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.#blocks.closeAll(events);
    events.push({ type: 'end' });
  }

  #readEvent(name: string, payload: JsonObject, events: TurnEvent[]): void {
    if (!this.#isStarted && needStart.has(name)) {
      this.complaint ??= brokenFrame;
      return;
    }
    // The answer has said that it is over.
    if (this.#hasStopped && name.startsWith('contentBlock')) return;
    switch (name) {
      case 'contentBlockDelta':
        this.#blocks.delta(indexOf(payload), asObject(payload['delta']) ?? {}, events);
        break;
      case 'contentBlockStart':
        if (!this.#blocks.start(indexOf(payload), asObject(payload['start']) ?? {}, events)) {
          this.complaint ??= brokenFrame;
        }
        break;
      case 'contentBlockStop':
        this.#blocks.stop(indexOf(payload), events);
        break;
      case 'answerStart':
        this.#names = payload;
        break;
      case 'messageStart':
        this.#start(events);
        break;
      case 'messageStop':
        this.#stop(payload, events);
        break;
      case 'metadata':
        this.#end(payload, events);
        break;
      case 'exception':
        this.complaint ??= readException(payload);
        break;
    }
  }

  /** A second start would take back what the client has already been shown. */
  #start(events: TurnEvent[]): void {
    if (this.#isStarted) {
      this.complaint ??= brokenFrame;
      return;
    }
    this.#isStarted = true;
    const id = asText(this.#names['id']) ?? '';
    const model = asText(this.#names['model']) ?? '';
    events.push({ type: 'start', id, model, usage: null });
  }

  #stop(payload: JsonObject, events: TurnEvent[]): void {
    if (this.#hasStopped) return;
    this.complaint ??= failedStopIn(payload);
    if (this.complaint !== null) return;
    this.#hasStopped = true;
    this.#blocks.closeAll(events);
    events.push({ type: 'stop', choice: 0, stop: readConverseStop(payload) });
  }

  /** Counts that come before the end of the message are not the last word. */
  #end(payload: JsonObject, events: TurnEvent[]): void {
    const usage = readConverseUsage(payload['usage']);
    if (usage !== null) events.push({ type: 'usage', usage });
    if (this.#hasStopped) this.finish(events);
  }
}

const needStart: ReadonlySet<string> = new Set([
  'contentBlockStart',
  'contentBlockDelta',
  'contentBlockStop',
  'messageStop',
  'metadata',
]);

const indexOf = (payload: JsonObject): number => asCount(payload['contentBlockIndex']) ?? 0;
