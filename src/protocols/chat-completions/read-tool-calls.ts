/** The tool calls of one streamed choice. They may interleave, and hosts disagree on when they send index, id and name. */
import { asCount, asFilledText, asObject, type JsonObject, tryParseJson } from '../json/fields.ts';
import type { BlockHead, TurnEvent } from '../turn/events.ts';
import type { Signature } from '../turn/signature.ts';
import { makeCallId } from '../turn/tools.ts';

interface Call {
  readonly index: number | undefined;
  readonly custom: true | undefined;
  id: string | undefined;
  name: string | undefined;
  /** Undefined until the name is known. */
  block: number | undefined;
  input: string;
  isClosed: boolean;
}

export interface ToolCallsOptions {
  readonly choice: number;
  readonly answerId: string;
  open(head: BlockHead, events: TurnEvent[]): number;
  signatureOf(id: string): Signature | undefined;
}

export class ToolCallsReader {
  readonly #options: ToolCallsOptions;
  readonly #calls: Call[] = [];

  constructor(options: ToolCallsOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#calls.length;
  }

  has(id: string): boolean {
    return this.#calls.some((call) => call.id === id);
  }

  read(deltas: readonly JsonObject[], events: TurnEvent[]): void {
    for (const delta of deltas) this.#readOne(delta, events);
  }

  closeAll(events: TurnEvent[]): void {
    for (const call of this.#calls) this.#close(call, events);
  }

  /**
   * Closes the calls whose arguments are whole, so that a writer that must keep blocks apart can go on. Of free text
   * nobody can tell whether it is whole.
   */
  closeWhole(events: TurnEvent[]): void {
    for (const call of this.#calls) {
      // One whose name has not come is not open yet.
      if (call.custom === true || call.isClosed || call.block === undefined) continue;
      if (call.input.endsWith('}') && tryParseJson(call.input) !== undefined) {
        this.#close(call, events);
      }
    }
  }

  #readOne(delta: JsonObject, events: TurnEvent[]): void {
    const called = asObject(delta['function']) ?? asObject(delta['custom']);
    const call = this.#callOf(delta, events);
    call.id ??= asFilledText(delta['id']);
    call.name ??= asFilledText(called?.['name']);
    const given = called?.['arguments'] ?? called?.['input'];
    const text = typeof given === 'string' ? given : given == null ? '' : JSON.stringify(given);
    this.#open(call, events);
    if (text === '' || call.isClosed) return;
    call.input += text;
    if (call.block === undefined) return;
    this.#tell(call.block, text, events);
    if (this.#isInterleaved()) this.closeWhole(events);
  }

  /** More than one call is unfinished, so that a writer may be holding some of them back. */
  #isInterleaved(): boolean {
    let open = 0;
    for (const call of this.#calls) if (!call.isClosed) open += 1;
    return open > 1;
  }

  /** A call is known by its index; a new id at the same index, or without one, is a new call. */
  #callOf(delta: JsonObject, events: TurnEvent[]): Call {
    const index = asCount(delta['index']);
    const id = asFilledText(delta['id']);
    const known = this.#calls.findLast(
      (call) =>
        (index === undefined || call.index === index) &&
        (id === undefined || call.id === undefined || call.id === id),
    );
    if (known !== undefined) return known;
    this.closeWhole(events);
    const custom = delta['type'] === 'custom' ? true : undefined;
    const call: Call = { index, custom, id, name: undefined, block: undefined, input: '', isClosed: false };
    this.#calls.push(call);
    return call;
  }

  #open(call: Call, events: TurnEvent[]): void {
    if (call.isClosed || call.block !== undefined || call.name === undefined) return;
    const { answerId, choice } = this.#options;
    call.id ??= makeCallId({ answerId, choice, at: this.#calls.indexOf(call) });
    const { id, name, custom } = call;
    const signature = this.#options.signatureOf(id);
    call.block = this.#options.open({ kind: 'tool_use', id, name, custom, signature }, events);
    if (call.input !== '') this.#tell(call.block, call.input, events);
  }

  #tell(block: number, text: string, events: TurnEvent[]): void {
    events.push({ type: 'delta', choice: this.#options.choice, block, kind: 'input', text });
  }

  #close(call: Call, events: TurnEvent[]): void {
    if (call.isClosed) return;
    call.isClosed = true;
    if (call.block !== undefined)
      events.push({ type: 'close', choice: this.#options.choice, block: call.block });
  }
}
