/** Responses streams into events, each output item by a reader of its own. */
import type { ExtrasSoFar } from '../../base/token-usage.ts';
import {
  asCount,
  asFilledText,
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
import type { TurnEvent } from '../turn/events.ts';
import { readSources } from './citations.ts';
import { responsesComplaintIn } from './errors.ts';
import { argumentMembers, callInputOf, readImage, ToolSignatures } from './items.ts';
import { ResponseExtras, readResponsesStop, readResponseUsage } from './outcome.ts';
import { BlockEvents, CallReader, type ItemReader, MessageReader, ReasoningReader } from './read-items.ts';

export class ResponsesEventReader implements EventReader {
  complaint: UpstreamComplaint | null = null;
  isEnded = false;
  isTextDone = false;
  #isStarted = false;
  readonly #output = new OutputReader();
  readonly #extras = new ResponseExtras();

  get extrasSoFar(): ExtrasSoFar {
    return this.#extras.soFar;
  }

  /** The last event says at once that it is the last. */
  get isComplete(): boolean {
    return this.isEnded;
  }

  read(data: string, events: TurnEvent[]): void {
    // Some hosts end with the last word of chat completions.
    if (data === '' || data === '[DONE]' || this.isEnded) return;
    const event = readSpelledBelow(data, argumentMembers) ?? tryParseJson(data);
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
    this.#extras.note(event);
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
      case 'response.cancelled':
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
        if (endsText(event)) this.isTextDone = true;
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
    const usage = readResponseUsage(response);
    if (usage !== null) events.push({ type: 'usage', usage });
    events.push({ type: 'stop', choice: 0, stop: readResponsesStop(response, this.#output.said) });
    this.isEnded = true;
    events.push({ type: 'end' });
  }
}

/** Some hosts end the message alone, and not its text. */
function endsText({ type, item }: JsonObject): boolean {
  if (type === 'response.output_text.done') return true;
  return type === 'response.output_item.done' && asObject(item)?.['type'] === 'message';
}

/** Output items in the order of their indexes; several may be open at a time. */
class OutputReader {
  readonly #blocks = new BlockEvents();
  readonly #signatures = new ToolSignatures();
  readonly #open = new Map<number, ItemReader>();
  /** Calls as they began, which is all that some hosts tell of them. */
  readonly #begun = new Map<number, JsonObject>();
  /** By their ids, since some hosts tell an end twice. */
  readonly #ended = new Set<string>();
  #hasItems = false;

  get said(): BlockEvents['said'] {
    return this.#blocks.said;
  }

  /** Whether it could be: an item that is open cannot begin, and what was shown of it cannot be taken back. */
  read(event: JsonObject, events: TurnEvent[]): boolean {
    const index = asCount(event['output_index']);
    if (index === undefined) return true;
    const item = asObject(event['item']);
    if (event['type'] === 'response.output_item.added') {
      if (this.#open.has(index)) return false;
      if (item !== undefined) this.#start(index, item, events);
    } else if (event['type'] === 'response.output_item.done') {
      if (item !== undefined) this.#end(index, item, events);
    } else this.#open.get(index)?.read(event, events);
    return true;
  }

  /** @param response as it ended: hosts that do not stream their items put them there. */
  finish(response: JsonObject, events: TurnEvent[]): void {
    if (!this.#hasItems) {
      for (const [index, item] of asObjects(response['output']).entries()) this.#end(index, item, events);
    }
    const output = asObjects(response['output']);
    for (const [index, reader] of this.#open) {
      const isCall = reader instanceof CallReader;
      reader.end(isCall ? (output[index] ?? this.#begun.get(index)) : undefined, events);
    }
    this.#open.clear();
    this.#begun.clear();
  }

  #start(index: number, item: JsonObject, events: TurnEvent[]): ItemReader | undefined {
    this.#hasItems = true;
    const reader = this.#readerFor(item, events);
    if (reader !== undefined) this.#open.set(index, reader);
    if (reader instanceof CallReader) this.#begun.set(index, item);
    return reader;
  }

  #end(index: number, item: JsonObject, events: TurnEvent[]): void {
    const id = asFilledText(item['id']);
    if (id !== undefined && this.#ended.has(id) && !this.#open.has(index)) return;
    const reader = this.#open.get(index) ?? this.#start(index, item, events);
    this.#blocks.sources.push(...readSources(item));
    if (id !== undefined) this.#ended.add(id);
    reader?.end(item, events);
    this.#open.delete(index);
    this.#begun.delete(index);
  }

  /** Undefined for traces of tools that the vendor ran, which nobody else can make use of. */
  #readerFor(item: JsonObject, events: TurnEvent[]): ItemReader | undefined {
    switch (item['type']) {
      case 'message':
        return new MessageReader(this.#blocks);
      case 'reasoning':
        return new ReasoningReader(this.#blocks, this.#signatures);
      case 'function_call':
      case 'custom_tool_call': {
        const reader = new CallReader(this.#blocks, this.#signatures);
        // Perplexity begins a search of its own as a call that is whole, and ends it as what was found.
        if (item['status'] !== 'completed' || callInputOf(item) === '') reader.open(item, events);
        return reader;
      }
    }
    if (item['type'] !== 'image_generation_call') return undefined;
    return {
      read: () => undefined,
      end: (ended, later) => {
        const image = ended === undefined ? undefined : readImage(ended);
        if (image !== undefined) later.push({ type: 'image', choice: 0, image });
      },
    };
  }
}
