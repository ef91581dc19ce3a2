/** Reads a messages request and refuses what the real host would refuse. */
import { isObject, type JsonObject, readList, readNumber, readObject, readText } from '../../json.ts';
import type { Tool, Wish } from '../../turn/compose-turn.ts';
import type { Problem, ProtocolRequest } from '../protocol.ts';
import { findConversationFault } from './conversation.ts';
import { findThinkingFault } from './thinking.ts';

export interface MessagesRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly wish: Wish;
}

type MessagesReading =
  | { readonly ok: true; readonly request: MessagesRequest }
  | { readonly ok: false; readonly problem: Problem };

export function readMessages({ body, bodyBytes }: ProtocolRequest): MessagesReading {
  if (!isObject(body)) return refuse('The body is not a JSON object.');
  const model = readText(body, 'model');
  if (model === undefined || model === '') return refuse('model: it is missing.');
  const limit = readNumber(body, 'max_tokens');
  if (limit === undefined || limit < 1) return refuse('max_tokens: a number from 1 is needed.');
  const fault =
    findConversationFault(readList(body, 'messages')) ?? findToolFault(body) ?? findThinkingFault(body);
  if (fault !== undefined) return refuse(fault);
  const choice = readObject(body, 'tool_choice');
  return {
    ok: true,
    request: {
      model,
      stream: body['stream'] === true,
      wish: {
        limit,
        tools: readTools(body),
        toolChoice: readToolChoice(choice),
        parallelTools: choice['disable_parallel_tool_use'] !== true,
        stopSequences: readList(body, 'stop_sequences').filter((sequence) => typeof sequence === 'string'),
        schema: readObject(readObject(body, 'output_config'), 'format')['schema'],
        choices: 1,
        bodyBytes,
      },
    },
  };
}

function refuse(message: string): MessagesReading {
  return { ok: false, problem: { status: 400, message, type: 'invalid_request_error', code: null } };
}

/** Only tools of the caller's own have a schema. */
function findToolFault(body: JsonObject): string | undefined {
  for (const [index, tool] of readList(body, 'tools').entries()) {
    if ((readText(tool, 'type') ?? 'custom') !== 'custom') continue;
    if (!/^[\w-]{1,128}$/.test(readText(tool, 'name') ?? ''))
      return `tools.${index}.name: it is no name of a tool.`;
    if (readObject(tool, 'input_schema')['type'] !== 'object')
      return `tools.${index}.input_schema: it must be an object's.`;
  }
  return undefined;
}

function readTools(body: JsonObject): Tool[] {
  return readList(body, 'tools').flatMap((tool) => {
    const name = readText(tool, 'name');
    return name === undefined ? [] : [{ name, parameters: readObject(tool, 'input_schema') }];
  });
}

function readToolChoice(choice: JsonObject): Wish['toolChoice'] {
  const name = readText(choice, 'name');
  if (choice['type'] === 'tool' && name !== undefined) return { name };
  if (choice['type'] === 'any') return 'required';
  return choice['type'] === 'none' ? 'none' : 'auto';
}
