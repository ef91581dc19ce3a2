/**
 * `functions` and `function_call`, from before there were tools: one call an answer, without an id. A request is read as
 * one with tools, and answered as it asked.
 */
import { asFilledText, asObject, asObjects, type JsonObject } from '../json/fields.ts';

/** Whether answers are to have `function_call` in place of `tool_calls`. */
export const wantsFunctionCall = (json: JsonObject): boolean => Array.isArray(json['functions']);

/** The same request where it has nothing of the kind. */
export function withTools(json: JsonObject): JsonObject {
  const messages = asObjects(json['messages']);
  const isLegacy =
    json['functions'] != null ||
    json['function_call'] != null ||
    messages.some((one) => isLegacyMessage(one));
  if (!isLegacy) return json;
  const { functions, function_call: choice, ...others } = json;
  const declared = asObjects(functions).map((described) => ({ type: 'function', function: described }));
  return {
    ...others,
    messages: withCallIds(messages),
    ...(declared.length === 0
      ? {}
      : { tools: [...asObjects(json['tools']), ...declared], parallel_tool_calls: false }),
    ...(choice == null ? {} : { tool_choice: readChoice(choice) }),
  };
}

const isLegacyMessage = (message: JsonObject): boolean =>
  message['role'] === 'function' || message['function_call'] != null;

/** `auto` and `none` mean the same as ever. */
function readChoice(choice: unknown): unknown {
  const named = asObject(choice);
  return named === undefined ? choice : { type: 'function', function: named };
}

/** A result answers the call before it, and has nothing but the name to say so. */
function withCallIds(messages: readonly JsonObject[]): readonly JsonObject[] {
  let calls = 0;
  return messages.map((message) => {
    const { function_call: called, ...others } = message;
    if (asObject(called) !== undefined) {
      calls += 1;
      return { ...others, tool_calls: [{ id: callId(calls), type: 'function', function: called }] };
    }
    if (message['role'] !== 'function') return message;
    const { name: _name, ...result } = others;
    return { ...result, role: 'tool', tool_call_id: callId(calls) };
  });
}

const callId = (count: number): string => `call_${count}`;

/** The one call of an answer, from the host's side: hosts that know only this spelling give it no id. */
export function callOf(message: JsonObject): JsonObject | undefined {
  const called = asObject(message['function_call']);
  if (called === undefined) return undefined;
  const hasSomething = asFilledText(called['name']) ?? asFilledText(called['arguments']);
  return hasSomething === undefined ? undefined : { index: 0, function: called };
}
