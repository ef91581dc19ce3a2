/**
 * Answers as official clients demand them, for hosts that have a shape of their own: calls without what says nothing to
 * such a host, their type and in a stream their index, and a list in the place of the text, with thoughts among its parts.
 */
import { framesOf, readData } from '../../base/sse.ts';
import { asCount, asFilledText, asObject, asObjects, type JsonObject, tryParseJson } from '../json/fields.ts';
import { editEntries, editMembers, type MemberEdit } from '../json/text.ts';
import { readContent } from './read-messages.ts';

/** One of these stands in all that is to be changed: parts of a content have a type, and texts none. */
const changedMembers = ['"tool_calls"', '"type"'] as const;
const changedNames = changedMembers.map((name) => Buffer.from(name));
const functionType = '"function"';

/** A whole answer, in which a call's place says its index. */
export function inOfficialShape(body: string): string {
  const json = changedMembers.some((name) => body.includes(name)) ? asObject(tryParseJson(body)) : undefined;
  if (json === undefined) return body;
  return editSaid(body, json, {
    holder: 'message',
    complete: (own, call) =>
      call['type'] == null ? editMembers(own, new Map([['type', functionType]])) : own,
  });
}

/** The pieces of one stream. */
export class OfficialShape {
  /** The ids of the calls so far, by choice; a call without one goes on. */
  readonly #ids = new Map<number, string[]>();

  /** @param block whole frames. */
  of(block: Uint8Array): Uint8Array {
    const frames = Buffer.from(block.buffer, block.byteOffset, block.byteLength);
    if (!isChanged(frames)) return block;
    return Buffer.concat([...framesOf(frames)].map((frame) => this.#ofFrame(frame)));
  }

  #ofFrame(frame: Buffer): Buffer {
    const data = isChanged(frame) ? readData(frame) : null;
    const json = data === null ? undefined : asObject(tryParseJson(data));
    if (data === null || json === undefined) return frame;
    const edited = editSaid(data, json, {
      holder: 'delta',
      complete: (own, call, choice) => this.#completeCall(own, call, choice),
    });
    return edited === data ? frame : Buffer.from(`data: ${edited}\n\n`);
  }

  #completeCall(own: string, call: JsonObject, choice: number): string {
    const edits = new Map<string, MemberEdit>();
    const id = asFilledText(call['id']);
    const given = asCount(call['index']);
    const index = this.#indexOf(choice, id, given);
    if (given === undefined) edits.set('index', String(index));
    // Only the first piece of a call says what it is.
    if (id !== undefined && call['type'] == null) edits.set('type', functionType);
    return edits.size === 0 ? own : editMembers(own, edits);
  }

  #indexOf(choice: number, id: string | undefined, given: number | undefined): number {
    const ids = this.#ids.get(choice) ?? [];
    this.#ids.set(choice, ids);
    const known = id === undefined ? ids.length - 1 : ids.indexOf(id);
    if (known === -1 && id !== undefined) ids.push(id);
    return given ?? (known === -1 ? Math.max(0, ids.length - 1) : known);
  }
}

const isChanged = (frames: Buffer): boolean => changedNames.some((name) => frames.indexOf(name) !== -1);

interface Editing {
  readonly holder: 'message' | 'delta';
  complete(own: string, call: JsonObject, choice: number): string;
}

function editSaid(text: string, json: JsonObject, editing: Editing): string {
  const choices = asObjects(json['choices']);
  const edits = choices.map((choice, at) => editsOf(choice, asCount(choice['index']) ?? at, editing));
  if (edits.every(({ size }) => size === 0)) return text;
  const editChoice = (own: string, at: number): string => {
    const ofSaid = edits[at] ?? nothing;
    if (ofSaid.size === 0) return own;
    return editMembers(own, new Map([[editing.holder, (said: string) => editMembers(said, ofSaid)]]));
  };
  return editMembers(text, new Map([['choices', (list: string) => editEntries(list, editChoice)]]));
}

const nothing: ReadonlyMap<string, MemberEdit> = new Map();

/** What the text comes from (`reference`) has no place in it; a list with anything else stays one, so that nothing is lost. */
const textParts = new Set(['text', 'thinking', 'reference']);
const hasPartsOfText = (content: unknown): boolean =>
  Array.isArray(content) && asObjects(content).every(({ type }) => textParts.has(String(type)));

/** What becomes of a choice's message, or of a piece of it. */
function editsOf(choice: JsonObject, index: number, { holder, complete }: Editing): typeof nothing {
  const said = asObject(choice[holder]);
  if (said === undefined) return nothing;
  const edits = new Map<string, MemberEdit>();
  const calls = asObjects(said['tool_calls']);
  if (calls.length > 0) {
    edits.set('tool_calls', (list) =>
      editEntries(list, (call, place) => complete(call, calls[place] ?? {}, index)),
    );
  }
  if (hasPartsOfText(said['content'])) {
    const { texts, thinking } = readContent(said['content']);
    const [text, thoughts] = [texts, thinking].map((blocks) => blocks.map((block) => block.text).join(''));
    // A piece with thoughts alone says nothing, while a whole message has a text in any case.
    edits.set('content', text === '' && holder === 'delta' ? null : JSON.stringify(text));
    if (thoughts !== '') edits.set('reasoning_content', JSON.stringify(thoughts));
  }
  return edits;
}
