/** Refusals of OpenAI's smaller endpoints, which know every field they take. */
import type { JsonObject } from '../json.ts';
import { Refusal } from './refusal.ts';
import { unknownField } from './strict-fields.ts';

export function refuse(message: string, param?: string): Refusal {
  const problem = { status: 400, message, type: 'invalid_request_error', code: null };
  return new Refusal(param === undefined ? problem : { ...problem, param });
}

export function demandKnown(body: JsonObject, known: readonly string[]): void {
  const stranger = unknownField(body, known);
  if (stranger !== undefined) throw refuse(`There is no argument ${stranger}.`, stranger);
}
