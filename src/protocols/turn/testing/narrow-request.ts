/** A request with some of its tools, its sampling, its marks or the terms of its schema taken away. */
import type { Sampling, TurnRequest } from '../request.ts';
import { isStrictSchema } from '../schema.ts';
import type { Tool } from '../tools.ts';
import type { DeclaredLosses } from './losses.ts';
import { mapAssistant, mapShown, mapUser } from './remove-block-losses.ts';

export function withTools(request: TurnRequest, keep: (tool: Tool) => boolean): TurnRequest {
  const tools = request.tools.filter(keep);
  const { toolChoice } = request;
  const has = (name: string) => tools.some((tool) => 'name' in tool && tool.name === name);
  if (toolChoice?.type === 'tool' && !has(toolChoice.name))
    return { ...request, tools, toolChoice: undefined };
  if (toolChoice?.type !== 'allowed') return { ...request, tools };
  const names = toolChoice.names.filter(has);
  return { ...request, tools, toolChoice: names.length === 0 ? undefined : { ...toolChoice, names } };
}

export function withSampling(request: TurnRequest, changed: Sampling): TurnRequest {
  return { ...request, sampling: { ...request.sampling, ...changed } };
}

export function withoutMarks(request: TurnRequest): TurnRequest {
  const unmarked = <Value extends object>(value: Value): Value => ({ ...value, cache: undefined });
  const shown = mapShown(request, unmarked);
  const said = mapAssistant(shown, (content) => content.map(unmarked));
  const results = mapUser(said, (block) => [unmarked(block)]);
  return {
    ...results,
    system: results.system.map(unmarked),
    messages: results.messages.map((message) =>
      message.role === 'system' ? { ...message, content: message.content.map(unmarked) } : message,
    ),
    tools: results.tools.map(unmarked),
  };
}

export function withSchemaTerms(request: TurnRequest, vendor: DeclaredLosses['vendor']): TurnRequest {
  const format = request.responseFormat;
  if (vendor === 'openai') return withToolTerms(withNamedFormat(request));
  if (format?.type !== 'json_schema') return request;
  const responseFormat = { ...format, name: undefined, description: undefined, strict: true };
  return { ...request, responseFormat };
}

function withNamedFormat(request: TurnRequest): TurnRequest {
  const format = request.responseFormat;
  if (format?.type !== 'json_schema') return request;
  const strict = format.strict && isStrictSchema(format.schema);
  return { ...request, responseFormat: { ...format, name: format.name ?? 'answer', strict } };
}

function withToolTerms(request: TurnRequest): TurnRequest {
  const tools = request.tools.map((tool) =>
    tool.kind === 'function' && tool.strict === true
      ? { ...tool, strict: isStrictSchema(tool.schema) }
      : tool,
  );
  return { ...request, tools };
}
