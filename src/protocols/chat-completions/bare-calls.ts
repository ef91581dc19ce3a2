/**
 * Tool calls as official clients demand them, for hosts that leave out what says nothing to them: the type, and in a
 * stream the index.
 */
import { framesOf, readData } from '../../base/sse.ts';
import { asCount, asFilledText, asObject, asObjects, type JsonObject, tryParseJson } from '../json/fields.ts';
import { editEntries, editMembers, type MemberEdit } from '../json/text.ts';

const callsName = Buffer.from('"tool_calls"');
const functionType = '"function"';

/** A whole answer, in which a call's place says its index. */
export function completeAnswer(body: string): string {
  const json = body.includes('"tool_calls"') ? asObject(tryParseJson(body)) : undefined;
  if (json === undefined) return body;
  return editCalls(body, json, {
    holder: 'message',
    complete: (own, call) =>
      call['type'] == null ? editMembers(own, new Map([['type', functionType]])) : own,
  });
}

/** The pieces of one stream. */
export class BareCalls {
  /** The ids of the calls so far, by choice; a call without one goes on. */
  readonly #ids = new Map<number, string[]>();

  /** @param block whole frames. */
  complete(block: Uint8Array): Uint8Array {
    const frames = Buffer.from(block.buffer, block.byteOffset, block.byteLength);
    if (frames.indexOf(callsName) === -1) return block;
    return Buffer.concat([...framesOf(frames)].map((frame) => this.#completeFrame(frame)));
  }

  #completeFrame(frame: Buffer): Buffer {
    const data = frame.indexOf(callsName) === -1 ? null : readData(frame);
    const json = data === null ? undefined : asObject(tryParseJson(data));
    if (data === null || json === undefined) return frame;
    const edited = editCalls(data, json, {
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

interface CallEditing {
  readonly holder: 'message' | 'delta';
  complete(own: string, call: JsonObject, choice: number): string;
}

function editCalls(text: string, json: JsonObject, { holder, complete }: CallEditing): string {
  const choices = asObjects(json['choices']);
  const callsIn = (choice: JsonObject) => asObjects(asObject(choice[holder])?.['tool_calls']);
  if (!choices.some((choice) => callsIn(choice).length > 0)) return text;
  const editChoice = (own: string, at: number): string => {
    const choice = choices[at] ?? {};
    const calls = callsIn(choice);
    if (calls.length === 0) return own;
    const index = asCount(choice['index']) ?? at;
    const editList = (list: string) =>
      editEntries(list, (call, place) => complete(call, calls[place] ?? {}, index));
    const editHolder = (said: string) => editMembers(said, new Map([['tool_calls', editList]]));
    return editMembers(own, new Map([[holder, editHolder]]));
  };
  const edit = (list: string) => editEntries(list, editChoice);
  return editMembers(text, new Map([['choices', edit]]));
}
