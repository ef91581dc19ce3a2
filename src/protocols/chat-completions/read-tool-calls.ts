/** The tool calls of one streamed choice. They may interleave, and hosts disagree on when they send index, id and name. */
import { asCount, asFilledText, asObject, type JsonObject, tryParseJson } from '../json/fields.ts';
import type { BlockHead, TurnEvent } from '../turn/events.ts';
import type { Signature } from '../turn/signature.ts';
import { makeCallId } from '../turn/tools.ts';
import { readCallSignature } from './reasoning-details.ts';

interface Call {
  /** Among the calls of the choice. */
  readonly at: number;
  readonly index: number | undefined;
  readonly custom: true | undefined;
  id: string | undefined;
  name: string | undefined;
  /** Undefined until the name is known. */
  block: number | undefined;
  signature: Signature | undefined;
  isClosed: boolean;
  readonly input: CallInput;
}

export interface ToolCallsOptions {
  readonly choice: number;
  readonly answerId: string;
  open(head: BlockHead, events: TurnEvent[]): number;
  signatureOf(id: string): Signature | undefined;
}

/** The arguments of a call in the pieces that they came in, each of which is looked at once. */
class CallInput {
  readonly #pieces: string[] = [];
  #scanned = 0;
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  #isBroken = false;

  get text(): string {
    return this.#pieces.join('');
  }

  add(piece: string): void {
    this.#pieces.push(piece);
  }

  /** Whether the text so far is a whole object. */
  isWhole(): boolean {
    for (; this.#scanned < this.#pieces.length; this.#scanned += 1)
      this.#scan(this.#pieces[this.#scanned] ?? '');
    if (this.#depth !== 0 || this.#isInText || this.#isBroken) return false;
    if (this.#pieces.at(-1)?.endsWith('}') !== true) return false;
    // What is closed and cannot be read will not become readable by what follows it.
    this.#isBroken = tryParseJson(this.text) === undefined;
    return !this.#isBroken;
  }

  #scan(piece: string): void {
    for (let at = 0; at < piece.length; at += 1) this.#take(piece.charCodeAt(at));
  }

  #take(code: number): void {
    if (this.#isInText) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (code === backslash) this.#isEscaped = true;
      else if (code === quote) this.#isInText = false;
    } else if (code === quote) this.#isInText = true;
    else if (code === openBrace || code === openBracket) this.#depth += 1;
    else if (code === closeBrace || code === closeBracket) this.#depth -= 1;
  }
}

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** Each piece of a call is found and judged without a look at every other call. */
export class ToolCallsReader {
  readonly #options: ToolCallsOptions;
  readonly #calls: Call[] = [];
  /** The latest of each index. */
  readonly #byIndex = new Map<number, Call>();
  /** The latest of each id, and of each index and id. */
  readonly #byId = new Map<string, Call>();
  /** Calls whose first piece had no id, the oldest first; some may have got one since. */
  readonly #withoutId: Call[] = [];
  /** Those that got something since it was looked whether they are whole. */
  readonly #unjudged = new Set<Call>();
  #openCalls = 0;

  constructor(options: ToolCallsOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#calls.length;
  }

  has(id: string): boolean {
    return this.#byId.has(keyOf(undefined, id));
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
    for (const call of this.#unjudged) {
      // One whose name has not come is not open yet.
      if (call.custom === true || call.isClosed || call.block === undefined) continue;
      if (call.input.isWhole()) this.#close(call, events);
    }
    this.#unjudged.clear();
  }

  #readOne(delta: JsonObject, events: TurnEvent[]): void {
    const called = asObject(delta['function']) ?? asObject(delta['custom']);
    const call = this.#callOf(delta, events);
    this.#identify(call, asFilledText(delta['id']));
    call.name ??= asFilledText(called?.['name']);
    call.signature ??= readCallSignature(delta);
    const given = called?.['arguments'] ?? called?.['input'];
    const text = typeof given === 'string' ? given : given == null ? '' : JSON.stringify(given);
    this.#open(call, events);
    if (text === '' || call.isClosed) return;
    call.input.add(text);
    this.#unjudged.add(call);
    if (call.block === undefined) return;
    this.#tell(call.block, text, events);
    if (this.#isInterleaved()) this.closeWhole(events);
  }

  /** More than one call is unfinished, so that a writer may be holding some of them back. */
  #isInterleaved(): boolean {
    return this.#openCalls > 1;
  }

  #callOf(delta: JsonObject, events: TurnEvent[]): Call {
    const index = asCount(delta['index']);
    const known = this.#find(index, asFilledText(delta['id']));
    if (known !== undefined) return known;
    this.closeWhole(events);
    const custom = delta['type'] === 'custom' ? true : undefined;
    const call: Call = {
      at: this.#calls.length,
      index,
      custom,
      id: undefined,
      name: undefined,
      block: undefined,
      signature: undefined,
      isClosed: false,
      input: new CallInput(),
    };
    this.#calls.push(call);
    this.#openCalls += 1;
    this.#withoutId.push(call);
    if (index !== undefined) this.#byIndex.set(index, call);
    return call;
  }

  /** A call is known by its index; a new id at the same index, or without one, is a new call. */
  #find(index: number | undefined, id: string | undefined): Call | undefined {
    const latest = index === undefined ? this.#calls.at(-1) : this.#byIndex.get(index);
    if (latest === undefined || id === undefined) return latest;
    if (latest.id === undefined || latest.id === id) return latest;
    const named = this.#byId.get(keyOf(index, id));
    if (index !== undefined) return named;
    const unnamed = this.#latestWithoutId();
    return unnamed !== undefined && unnamed.at > (named?.at ?? -1) ? unnamed : named;
  }

  #latestWithoutId(): Call | undefined {
    while (this.#withoutId.at(-1)?.id !== undefined) this.#withoutId.pop();
    return this.#withoutId.at(-1);
  }

  #identify(call: Call, id: string | undefined): void {
    if (id === undefined || call.id !== undefined) return;
    call.id = id;
    this.#byId.set(keyOf(undefined, id), call).set(keyOf(call.index, id), call);
  }

  #open(call: Call, events: TurnEvent[]): void {
    if (call.isClosed || call.block !== undefined || call.name === undefined) return;
    const { answerId, choice } = this.#options;
    const id = call.id ?? makeCallId({ answerId, choice, at: call.at });
    this.#identify(call, id);
    this.#unjudged.add(call);
    const { name, custom } = call;
    const signature = this.#options.signatureOf(id) ?? call.signature;
    call.block = this.#options.open({ kind: 'tool_use', id, name, custom, signature }, events);
    const { text } = call.input;
    if (text !== '') this.#tell(call.block, text, events);
  }

  #tell(block: number, text: string, events: TurnEvent[]): void {
    events.push({ type: 'delta', choice: this.#options.choice, block, kind: 'input', text });
  }

  #close(call: Call, events: TurnEvent[]): void {
    if (call.isClosed) return;
    call.isClosed = true;
    this.#openCalls -= 1;
    if (call.block !== undefined)
      events.push({ type: 'close', choice: this.#options.choice, block: call.block });
  }
}

function keyOf(index: number | undefined, id: string): string {
  return `${index ?? ''} ${id}`;
}
