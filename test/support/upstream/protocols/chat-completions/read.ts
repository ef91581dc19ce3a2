/** Reads a chat completions request and refuses what a real host would refuse. */
import { isObject, type JsonObject, readList, readNumber, readObject, readText } from '../../json.ts';
import type { Tool, Wish } from '../../turn/compose-turn.ts';
import { findFixedSampling } from '../fixed-sampling.ts';
import type { Problem, ProtocolRequest } from '../protocol.ts';
import { findOpenObject } from '../strict-schema.ts';
import { type Fault, findConversationFault } from './conversation.ts';

export interface ChatRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly asksUsage: boolean;
  readonly wish: Wish;
}

export type ChatReading =
  | { readonly ok: true; readonly request: ChatRequest }
  | { readonly ok: false; readonly problem: Problem };

/** As many as OpenAI gives. */
const mostChoices = 128;

export function readChat({ body, bodyBytes }: ProtocolRequest): ChatReading {
  if (!isObject(body)) return refuse('The body is not a JSON object.');
  const model = readText(body, 'model');
  if (model === undefined || model === '') return refuse('No model is named.', 'model');
  if (readList(body, 'messages').length === 0) return refuse('There are no messages.', 'messages');
  const fault = findConversationFault(readList(body, 'messages'));
  if (fault !== undefined) return refuse(fault.message, fault.param);
  const fixed = findFixedSampling(body, model);
  if (fixed !== undefined) return refuse(`${model} does not take ${fixed}.`, fixed);
  const choices = body['n'] ?? 1;
  if (typeof choices !== 'number' || !(choices >= 1 && choices <= mostChoices)) {
    return refuse(`n: a number from 1 to ${mostChoices} is needed.`, 'n');
  }
  const open = findOpenSchema(body);
  if (open !== undefined) return refuse(open.message, open.param);
  const stream = body['stream'] === true;
  if (!stream && isObject(body['stream_options'])) {
    return refuse('stream_options needs stream to be true.', 'stream_options');
  }
  const request: ChatRequest = {
    model,
    stream,
    asksUsage: readObject(body, 'stream_options')['include_usage'] === true,
    wish: {
      limit: readNumber(body, 'max_completion_tokens') ?? readNumber(body, 'max_tokens'),
      tools: readTools(body),
      toolChoice: readToolChoice(body),
      parallelTools: body['parallel_tool_calls'] !== false,
      stopSequences: [body['stop']].flat().filter((sequence) => typeof sequence === 'string'),
      schema: readSchema(body),
      choices,
      bodyBytes,
    },
  };
  return { ok: true, request };
}

function refuse(message: string, param?: string): ChatReading {
  const problem = { status: 400, message, type: 'invalid_request_error', code: null };
  return { ok: false, problem: param === undefined ? problem : { ...problem, param } };
}

/** Only schemas that say they are strict are held to it. */
function findOpenSchema(body: JsonObject): Fault | undefined {
  const strict = readList(body, 'tools')
    .map((tool) => readObject(tool, 'function'))
    .concat(readObject(readObject(body, 'response_format'), 'json_schema'))
    .filter((holder) => holder['strict'] === true);
  for (const holder of strict) {
    const param = 'schema' in holder ? 'response_format' : 'tools';
    const message = findOpenObject(holder['schema'] ?? holder['parameters'], param);
    if (message !== undefined) return { param, message };
  }
  return undefined;
}

function readTools(body: JsonObject): Tool[] {
  return readList(body, 'tools').flatMap((tool) => {
    const details = readObject(tool, 'function');
    const name = readText(details, 'name');
    // A tool without parameters takes no arguments.
    return name === undefined ? [] : [{ name, parameters: details['parameters'] ?? { type: 'object' } }];
  });
}

function readToolChoice(body: JsonObject): Wish['toolChoice'] {
  const choice = body['tool_choice'];
  if (choice === 'none' || choice === 'required') return choice;
  const name = readText(readObject(choice, 'function'), 'name');
  return name === undefined ? 'auto' : { name };
}

function readSchema(body: JsonObject): unknown {
  const format = readObject(body, 'response_format');
  if (format['type'] === 'json_schema')
    return readObject(format, 'json_schema')['schema'] ?? { type: 'object' };
  if (format['type'] !== 'json_object') return undefined;
  return { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] };
}
