/** Schemas that an upstream cannot be held to: the model is told of them in words. */

import type { JsonObject } from '../json/fields.ts';
import type { TurnRequest } from './request.ts';
import { isClosable } from './schema.ts';

export function askForSchema(turn: TurnRequest, schema: JsonObject): TurnRequest {
  const text = `Answer with one JSON object and nothing else. It must fit this JSON schema: ${JSON.stringify(schema)}`;
  return { ...turn, system: [...turn.system, { type: 'text', text }] };
}

/** For upstreams that take closed objects only, of which one with names of the model's choosing would stay empty. */
export function withClosableFormat(turn: TurnRequest): TurnRequest {
  const format = turn.responseFormat;
  if (format?.type !== 'json_schema' || isClosable(format.schema)) return turn;
  return { ...askForSchema(turn, format.schema), responseFormat: undefined };
}
