/** Parts of the user into blocks of the form. */
import { asFilledText, asObject, asObjects, asText, type JsonObject } from '../json/fields.ts';
import type { ToolResultBlock, ToolResultContent, UserBlock } from '../turn/blocks.ts';
import { cannotRead } from '../turn/refuse.ts';
import { readMedia } from './read-source.ts';

/** @param idOf finds the call that a function's response without an id belongs to, by the function's name. */
export function readUserParts(parts: unknown, idOf: (name: string) => string): readonly UserBlock[] {
  return asObjects(parts).flatMap((part) => readUserPart(part, idOf) ?? []);
}

function readUserPart(part: JsonObject, idOf: (name: string) => string): UserBlock | undefined {
  const response = asObject(part['functionResponse']);
  if (response !== undefined) return readResponse(response, idOf);
  const text = asFilledText(part['text']);
  return text === undefined ? readMedia(part) : { type: 'text', text };
}

function readResponse(response: JsonObject, idOf: (name: string) => string): ToolResultBlock {
  const name = asFilledText(response['name']);
  if (name === undefined) throw cannotRead('contents', 'a functionResponse has no name');
  const { text, isError } = readResult(asObject(response['response']) ?? {});
  const media = asObjects(response['parts']).flatMap((part): ToolResultContent[] => {
    const block = readMedia(part);
    return block === undefined || block.type === 'audio' ? [] : [block];
  });
  return {
    type: 'tool_result',
    toolUseId: asFilledText(response['id']) ?? idOf(name),
    content: text === '' ? media : [{ type: 'text', text }, ...media],
    isError,
  };
}

/** By custom the one member is the result or the error; whatever else stands there is the result itself. */
function readResult(response: JsonObject): { text: string; isError: boolean } {
  const names = Object.keys(response);
  const [name] = names;
  if (name === undefined) return { text: '', isError: false };
  if (names.length === 1 && (name === 'result' || name === 'output' || name === 'error')) {
    const value = response[name];
    return { text: asText(value) ?? JSON.stringify(value), isError: name === 'error' };
  }
  return { text: JSON.stringify(response), isError: false };
}
