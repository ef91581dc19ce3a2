/** Reads the tools of a response request, its choice among them, and the format of its text. */
import { isObject, type JsonObject, readList, readObject, readText } from '../../json.ts';
import type { Tool, Wish } from '../../turn/compose-turn.ts';
import { findOpenObject } from '../strict-schema.ts';
import { demandKnown, refuse, refuseValue } from './refuse.ts';

const functionFields = ['type', 'name', 'description', 'parameters', 'strict', 'defer_loading'];
const modes = ['none', 'auto', 'required'];

export function readTools(body: JsonObject): Tool[] {
  return readList(body, 'tools').flatMap((tool, index) => {
    const place = `tools[${index}]`;
    if (!isObject(tool)) throw refuseValue(place, tool, 'an object');
    const type = readText(tool, 'type');
    if (type === undefined) throw refuseValue(`${place}.type`, undefined, 'the kind of tool');
    if (type !== 'function') return [];
    demandKnown(tool, functionFields, place);
    const name = readText(tool, 'name') ?? '';
    if (!/^[\w-]{1,64}$/.test(name)) {
      throw refuseValue(`${place}.name`, tool['name'], 'up to 64 letters, digits, _ and -');
    }
    const parameters = tool['parameters'] ?? { type: 'object' };
    if (tool['strict'] === true) demandStrict(parameters, `${place}.parameters`);
    return [{ name, parameters }];
  });
}

export function readToolChoice(body: JsonObject, tools: readonly Tool[]): Wish['toolChoice'] {
  const choice = body['tool_choice'] ?? 'auto';
  if (choice === 'none' || choice === 'auto' || choice === 'required') {
    if (choice === 'required' && readList(body, 'tools').length === 0) {
      throw refuse({ message: 'A tool is demanded and none is given.', param: 'tool_choice' });
    }
    return choice;
  }
  const type = readText(choice, 'type');
  if (type === 'allowed_tools') return readText(choice, 'mode') === 'required' ? 'required' : 'auto';
  const name = readText(choice, 'name');
  if (type !== 'function' || name === undefined) throw refuseValue('tool_choice', choice, modes.join(', '));
  if (!tools.some((tool) => tool.name === name)) {
    throw refuse({ message: `The tool ${name} is demanded and not given.`, param: 'tool_choice' });
  }
  return { name };
}

export function readSchema(body: JsonObject): unknown {
  const format = readObject(readObject(body, 'text'), 'format');
  const type = format['type'] ?? 'text';
  if (type === 'text') return undefined;
  if (type === 'json_object') {
    return { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] };
  }
  if (type !== 'json_schema') throw refuseValue('text.format.type', type, 'text, json_object or json_schema');
  demandKnown(format, ['type', 'name', 'description', 'schema', 'strict'], 'text.format');
  if (!/^[\w-]{1,64}$/.test(readText(format, 'name') ?? '')) {
    throw refuseValue('text.format.name', format['name'], 'up to 64 letters, digits, _ and -');
  }
  if (!isObject(format['schema'])) throw refuseValue('text.format.schema', format['schema'], 'a schema');
  if (format['strict'] === true) demandStrict(format['schema'], 'text.format.schema');
  return format['schema'];
}

function demandStrict(schema: unknown, param: string): void {
  const message = findOpenObject(schema, param);
  if (message !== undefined) throw refuse({ message, param, code: 'invalid_function_parameters' });
}
