/** Chat completion streams into events. */

import {
  asCount,
  asObject,
  asObjects,
  asText,
  isJsonObject,
  type JsonObject,
  tryParseJson,
} from '../json/fields.ts';
import type { EventReader } from '../protocol.ts';
import { brokenFrame, type UpstreamComplaint } from '../translator.ts';
import type { TurnEvent } from '../turn/events.ts';
import { ChoiceReader } from './choice-reader.ts';
import { complaintIn } from './complaint.ts';
import { readChunkUsage } from './usage.ts';

/** What the protocol lets callers ask for; a choice beyond it is nobody's. */
const mostChoices = 128;

export class ChatEventReader implements EventReader {
  complaint: UpstreamComplaint | null = null;
  #isStarted = false;
  isEnded = false;
  readonly #choices = new Map<number, ChoiceReader>();

  /** `[DONE]`, or an end to every choice that began: not every host sends both. */
  get isComplete(): boolean {
    if (this.isEnded) return true;
    for (const choice of this.#choices.values()) if (!choice.isDone) return false;
    return this.#choices.size > 0;
  }

  read(data: string, events: TurnEvent[]): void {
    if (data === '' || this.isEnded) return;
    if (data === '[DONE]') {
      if (this.#isStarted) this.finish(events);
      else this.complaint ??= brokenFrame;
      return;
    }
    const chunk = tryParseJson(data);
    if (!isJsonObject(chunk)) {
      this.complaint ??= complaintIn(chunk) ?? brokenFrame;
      return;
    }
    const choices = chunk['choices'];
    if (!Array.isArray(choices)) this.complaint ??= complaintIn(chunk);
    else if (chunk['error'] != null) this.complaint ??= complaintIn(chunk);
    // Some hosts open with a chunk that has no choices and no id yet.
    else if (choices.length > 0) this.#readChoices(chunk, events);
    const usage = readChunkUsage(chunk);
    if (usage === null) return;
    this.#start(chunk, events);
    events.push({ type: 'usage', usage });
  }

  finish(events: TurnEvent[]): void {
    if (this.isEnded) return;
    this.isEnded = true;
    for (const choice of this.#choices.values()) choice.finish('stop', events);
    events.push({ type: 'end' });
  }

  #start(chunk: JsonObject, events: TurnEvent[]): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const id = asText(chunk['id']) ?? '';
    const model = asText(chunk['model']) ?? '';
    events.push({ type: 'start', id, model, createdS: asCount(chunk['created']), usage: null });
  }

  #readChoices(chunk: JsonObject, events: TurnEvent[]): void {
    this.#start(chunk, events);
    const id = asText(chunk['id']) ?? '';
    for (const choice of asObjects(chunk['choices'])) {
      const index = asCount(choice['index']) ?? 0;
      if (index >= mostChoices) {
        this.complaint ??= brokenFrame;
        return;
      }
      let reader = this.#choices.get(index);
      if (reader === undefined) {
        reader = new ChoiceReader(index, id);
        this.#choices.set(index, reader);
      }
      const delta = asObject(choice['delta']) ?? asObject(choice['message']);
      if (delta !== undefined) reader.readDelta(delta, choice['logprobs'], events);
      const finish = asText(choice['finish_reason']);
      if (finish !== undefined && finish !== '') reader.finish(finish, events);
    }
  }
}
