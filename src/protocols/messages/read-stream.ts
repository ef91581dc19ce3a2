/** Streams of the messages protocol into events. */

import {
  asCount,
  asFilledText,
  asObject,
  asText,
  isJsonObject,
  type JsonObject,
  tryParseJson,
} from '../json/fields.ts';
import type { EventReader } from '../protocol.ts';
import { brokenFrame, type UpstreamComplaint } from '../translator.ts';
import type { TurnEvent } from '../turn/events.ts';
import { BlockReader } from './block-reader.ts';
import { messagesComplaintIn } from './complaint.ts';
import { readMessagesStop } from './stop.ts';
import { mergeUsage, readMessagesUsage } from './usage.ts';

export class MessagesEventReader implements EventReader {
  complaint: UpstreamComplaint | null = null;
  #isStarted = false;
  #hasStopped = false;
  isEnded = false;
  #usage: JsonObject = {};
  readonly #blocks = new BlockReader();

  /** The reason for the end is the last that is said; what follows it only closes the stream. */
  get isComplete(): boolean {
    return this.#hasStopped || this.isEnded;
  }

  read(data: string, events: TurnEvent[]): void {
    if (data === '' || this.isEnded) return;
    const event = tryParseJson(data);
    if (isJsonObject(event)) this.#readEvent(event, events);
    else this.complaint ??= brokenFrame;
  }

  finish(events: TurnEvent[]): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.#blocks.closeAll(events);
    if (!this.#hasStopped) {
      const reason = this.#blocks.hasTools ? 'tool_use' : 'end';
      events.push({ type: 'stop', choice: 0, stop: { reason } });
    }
    events.push({ type: 'end' });
  }

  #readEvent(event: JsonObject, events: TurnEvent[]): void {
    const { type } = event;
    if (!this.#isStarted && typeof type === 'string' && /^(content_block|message_(delta|stop))/.test(type)) {
      this.complaint ??= brokenFrame;
      return;
    }
    // The answer has said that it is over.
    if (this.#hasStopped && typeof type === 'string' && type.startsWith('content_block')) return;
    switch (type) {
      case 'content_block_delta':
        this.#blocks.delta(indexOf(event), asObject(event['delta']) ?? {}, events);
        break;
      case 'content_block_start':
        if (!this.#blocks.start(indexOf(event), asObject(event['content_block']) ?? {}, events)) {
          this.complaint ??= brokenFrame;
        }
        break;
      case 'content_block_stop':
        this.#blocks.stop(indexOf(event), events);
        break;
      case 'message_start':
        this.#start(asObject(event['message']) ?? {}, events);
        break;
      case 'message_delta':
        this.#messageDelta(event, events);
        break;
      case 'message_stop':
        this.finish(events);
        break;
      case 'error':
        this.complaint ??= messagesComplaintIn(event) ?? brokenFrame;
        break;
      case undefined:
        // Hosts in front of the protocol leave out the type.
        this.complaint ??= messagesComplaintIn(event);
        break;
    }
  }

  /** A second start would take back what the client has already been shown. */
  #start(message: JsonObject, events: TurnEvent[]): void {
    if (this.#isStarted) {
      this.complaint ??= brokenFrame;
      return;
    }
    this.#isStarted = true;
    this.#usage = mergeUsage(this.#usage, message['usage']);
    const usage = readMessagesUsage(this.#usage);
    events.push({
      type: 'start',
      id: asText(message['id']) ?? '',
      model: asText(message['model']) ?? '',
      usage,
    });
  }

  #messageDelta(event: JsonObject, events: TurnEvent[]): void {
    const delta = asObject(event['delta']);
    const reason = asFilledText(delta?.['stop_reason']);
    if (reason !== undefined && !this.#hasStopped) {
      this.#hasStopped = true;
      this.#blocks.closeAll(events);
      events.push({ type: 'stop', choice: 0, stop: readMessagesStop(reason, delta?.['stop_sequence']) });
    }
    this.#usage = mergeUsage(this.#usage, event['usage']);
    const usage = readMessagesUsage(this.#usage);
    if (usage !== null) events.push({ type: 'usage', usage });
  }
}

const indexOf = (event: JsonObject): number => asCount(event['index']) ?? 0;
