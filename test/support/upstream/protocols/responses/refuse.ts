/** Refusals as the Responses API words and codes them. */
import type { JsonObject } from '../../json.ts';
import { Refusal } from '../refusal.ts';
import { unknownField } from '../strict-fields.ts';

interface Details {
  readonly message: string;
  readonly param?: string;
  readonly code?: string;
  readonly status?: number;
}

export function refuse({ message, param, code, status }: Details): Refusal {
  return new Refusal({
    status: status ?? 400,
    message,
    type: 'invalid_request_error',
    code: code ?? null,
    ...(param !== undefined && { param }),
  });
}

/** A value that is not among those the place takes. */
export function refuseValue(param: string, value: unknown, expected: string): Refusal {
  const message = `${param} is ${JSON.stringify(value) ?? 'missing'}; it takes ${expected}.`;
  return refuse({
    message,
    param,
    code: value === undefined ? 'missing_required_parameter' : 'invalid_value',
  });
}

export function demandKnown(object: JsonObject, known: readonly string[], place: string): void {
  const stranger = unknownField(object, known);
  if (stranger === undefined) return;
  const param = place === '' ? stranger : `${place}.${stranger}`;
  throw refuse({ message: `There is no parameter ${param}.`, param, code: 'unknown_parameter' });
}
