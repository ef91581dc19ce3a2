/** Responses streams into events. */

import { asCount, asObject, asText, isJsonObject, type JsonObject, tryParseJson } from '../json/fields.ts';
import type { EventReader } from '../protocol.ts';
import { brokenFrame, type UpstreamComplaint } from '../translator.ts';
import type { TurnEvent } from '../turn/events.ts';
import { responsesComplaintIn } from './complaint.ts';
import { OutputReader } from './output-reader.ts';
import { readResponsesStop } from './stop.ts';
import { readResponsesUsage } from './usage.ts';

export class ResponsesEventReader implements EventReader {
  complaint: UpstreamComplaint | null = null;
  isEnded = false;
  #isStarted = false;
  readonly #output = new OutputReader();

  /** The last event says at once that it is the last. */
  get isComplete(): boolean {
    return this.isEnded;
  }

  read(data: string, events: TurnEvent[]): void {
    // Some hosts end with the last word of chat completions.
    if (data === '' || data === '[DONE]' || this.isEnded) return;
    const event = tryParseJson(data);
    if (isJsonObject(event)) this.#readEvent(event, events);
    else this.complaint ??= brokenFrame;
  }

  finish(events: TurnEvent[]): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.#output.finish({}, events);
    events.push({ type: 'end' });
  }

  #readEvent(event: JsonObject, events: TurnEvent[]): void {
    switch (event['type']) {
      case 'response.created':
      case 'response.queued':
      case 'response.in_progress':
        this.#start(asObject(event['response']) ?? {}, events);
        break;
      case 'response.completed':
        this.#end({ ...asObject(event['response']), status: 'completed' }, events);
        break;
      case 'response.incomplete':
        this.#end({ ...asObject(event['response']), status: 'incomplete' }, events);
        break;
      case 'response.failed':
      case 'error':
        this.complaint ??= responsesComplaintIn(event) ?? brokenFrame;
        break;
      case undefined:
        // Hosts that fail before their stream begins send an error without a type.
        this.complaint ??= responsesComplaintIn(event);
        break;
      default:
        // Signs of life and the like belong to no item.
        if (event['output_index'] === undefined) break;
        this.#start({}, events);
        if (!this.#output.read(event, events)) this.complaint ??= brokenFrame;
    }
  }

  #start(response: JsonObject, events: TurnEvent[]): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    events.push({
      type: 'start',
      id: asText(response['id']) ?? '',
      model: asText(response['model']) ?? '',
      createdS: asCount(response['created_at']),
      usage: null,
    });
  }

  #end(response: JsonObject, events: TurnEvent[]): void {
    this.#start(response, events);
    this.#output.finish(response, events);
    const usage = readResponsesUsage(response['usage']);
    if (usage !== null) events.push({ type: 'usage', usage });
    events.push({ type: 'stop', choice: 0, stop: readResponsesStop(response, this.#output.said) });
    this.isEnded = true;
    events.push({ type: 'end' });
  }
}
