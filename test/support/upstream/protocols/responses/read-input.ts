/** The rules that the input of a response is held to: items and their order, calls and outputs, reasoning. */
import { isObject, type JsonObject, readText } from '../../json.ts';
import { checkParts, inputParts, instructionParts, spokenParts } from './read-parts.ts';
import { checkReasoning } from './read-reasoning.ts';
import { demandKnown, refuse, refuseValue } from './refuse.ts';

const knownFields: Readonly<Record<string, readonly string[]>> = {
  message: ['type', 'role', 'content', 'status', 'id', 'phase'],
  function_call: ['type', 'id', 'call_id', 'name', 'arguments', 'status', 'namespace'],
  function_call_output: ['type', 'id', 'call_id', 'output', 'status'],
  custom_tool_call: ['type', 'id', 'call_id', 'name', 'input', 'status', 'namespace'],
  custom_tool_call_output: ['type', 'id', 'call_id', 'output', 'status'],
  reasoning: ['type', 'id', 'summary', 'content', 'encrypted_content', 'status'],
};
/** Items of tools that the host runs itself; they are taken as they are. */
const hostedItems =
  /^(additional_tools|item_reference|compaction|(web_search|file_search|tool_search|code_interpreter|image_generation|computer|local_shell|shell|apply_patch|mcp)_\w+)$/;
const calls = ['function_call', 'custom_tool_call'];
const outputs = ['function_call_output', 'custom_tool_call_output'];

export function checkInput(input: unknown, isStored: boolean): void {
  if (typeof input === 'string') return;
  if (!Array.isArray(input) || input.length === 0)
    throw refuseValue('input', input, 'text or a list of items');
  const items = input.map((item, index) => checkItem(item, `input[${index}]`));
  checkPairs(items);
  checkReasoning(items, isStored);
}

function checkItem(item: unknown, place: string): JsonObject {
  if (!isObject(item)) throw refuseValue(place, item, 'an object');
  const type = readText(item, 'type') ?? 'message';
  const known = knownFields[type];
  if (known === undefined && hostedItems.test(type)) return item;
  if (known === undefined) throw refuseValue(`${place}.type`, type, Object.keys(knownFields).join(', '));
  demandKnown(item, known, place);
  if (type === 'message') checkMessage(item, place);
  if (calls.includes(type)) checkCall(item, type, place);
  if (outputs.includes(type)) {
    checkCallId(item, place);
    checkParts(item['output'], inputParts, `${place}.output`);
  }
  return { ...item, type };
}

function checkMessage(item: JsonObject, place: string): void {
  const role = readText(item, 'role');
  if (role === 'user') checkParts(item['content'], inputParts, `${place}.content`);
  else if (role === 'assistant') checkParts(item['content'], spokenParts, `${place}.content`);
  else if (role === 'system' || role === 'developer') {
    checkParts(item['content'], instructionParts, `${place}.content`);
  } else throw refuseValue(`${place}.role`, role, 'assistant, system, developer or user');
}

function checkCall(item: JsonObject, type: string, place: string): void {
  checkCallId(item, place);
  if (!/^[\w-]{1,64}$/.test(readText(item, 'name') ?? '')) {
    throw refuseValue(`${place}.name`, item['name'], 'up to 64 letters, digits, _ and -');
  }
  const said = type === 'function_call' ? 'arguments' : 'input';
  if (typeof item[said] !== 'string') throw refuseValue(`${place}.${said}`, item[said], 'text');
}

function checkCallId(item: JsonObject, place: string): void {
  const id = readText(item, 'call_id') ?? '';
  if (id === '' || id.length > 64) {
    throw refuseValue(`${place}.call_id`, item['call_id'], 'from 1 to 64 characters');
  }
}

/** Every call has its output behind it, and no output is without a call in front of it. */
function checkPairs(items: readonly JsonObject[]): void {
  const open = new Set<unknown>();
  for (const item of items) {
    const type = String(item['type']);
    const id = item['call_id'];
    if (calls.includes(type)) open.add(id);
    if (outputs.includes(type) && !open.delete(id)) {
      throw refuse({ message: `There is no call for the output of ${id}.`, param: 'input' });
    }
  }
  const [left] = open;
  if (left !== undefined)
    throw refuse({ message: `There is no output of the call ${left}.`, param: 'input' });
}
