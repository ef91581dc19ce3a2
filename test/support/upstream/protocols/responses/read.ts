/** Reads a response request and refuses what the real host would refuse. */
import { isObject, type JsonObject, readList, readNumber, readObject, readText } from '../../json.ts';
import type { Wish } from '../../turn/compose-turn.ts';
import { findFixedSampling } from '../fixed-sampling.ts';
import type { ProtocolRequest } from '../protocol.ts';
import { checkInput } from './read-input.ts';
import { readSchema, readToolChoice, readTools } from './read-tools.ts';
import { demandKnown, refuse, refuseValue } from './refuse.ts';

export interface ResponsesRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly wish: Wish;
  /** Reasoning is shown only to who asked for a summary, and sealed only for who asked for it so. */
  readonly asksSummary: boolean;
  readonly asksEncrypted: boolean;
  readonly obfuscates: boolean;
  readonly body: JsonObject;
}

const knownFields = [
  ...['background', 'context_management', 'conversation', 'include', 'input', 'instructions'],
  ...['max_output_tokens', 'max_tool_calls', 'metadata', 'model', 'moderation', 'parallel_tool_calls'],
  ...['previous_response_id', 'prompt', 'prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention'],
  ...['reasoning', 'safety_identifier', 'service_tier', 'store', 'stream', 'stream_options', 'temperature'],
  ...['text', 'tool_choice', 'tools', 'top_logprobs', 'top_p', 'truncation', 'user'],
];
const fewestTokens = 16;

export function readResponses({ body, bodyBytes }: ProtocolRequest): ResponsesRequest {
  if (!isObject(body)) throw refuse({ message: 'The body is not a JSON object.' });
  demandKnown(body, knownFields, '');
  const model = readText(body, 'model');
  if (model === undefined || model === '') throw refuseValue('model', undefined, 'the name of a model');
  checkInput(body['input'], body['store'] !== false);
  checkNumbers(body);
  const fixed = findFixedSampling(body, model);
  if (fixed !== undefined) {
    throw refuse({
      message: `${model} does not take ${fixed}.`,
      param: fixed,
      code: 'unsupported_parameter',
    });
  }
  const previous = readText(body, 'previous_response_id');
  if (previous !== undefined) {
    const message = `There is no response ${previous}.`;
    throw refuse({ message, param: 'previous_response_id', code: 'previous_response_not_found' });
  }
  const tools = readTools(body);
  const include = readList(body, 'include');
  const summary = readObject(body, 'reasoning')['summary'] ?? null;
  return {
    model,
    stream: body['stream'] === true,
    asksSummary: summary !== null,
    asksEncrypted: include.includes('reasoning.encrypted_content'),
    obfuscates: readObject(body, 'stream_options')['include_obfuscation'] !== false,
    body,
    wish: {
      limit: readNumber(body, 'max_output_tokens'),
      tools,
      toolChoice: readToolChoice(body, tools),
      parallelTools: body['parallel_tool_calls'] !== false,
      stopSequences: [],
      schema: readSchema(body),
      choices: 1,
      bodyBytes,
    },
  };
}

function checkNumbers(body: JsonObject): void {
  demandRange(body, 'max_output_tokens', fewestTokens, Number.POSITIVE_INFINITY);
  demandRange(body, 'temperature', 0, 2);
  demandRange(body, 'top_p', 0, 1);
  demandRange(body, 'top_logprobs', 0, 20);
}

function demandRange(body: JsonObject, param: string, least: number, most: number): void {
  const value = body[param] ?? null;
  if (value === null) return;
  if (typeof value !== 'number' || value < least || value > most) {
    throw refuseValue(param, value, `a number from ${least} to ${most}`);
  }
}
