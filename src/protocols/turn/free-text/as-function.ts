/**
 * Free-text tools for models that call tools with JSON only: the tool becomes a function with one text, and a call of it
 * an object that holds the text.
 */
import { asObject, asText, type JsonObject } from '../../json/fields.ts';
import type { AssistantBlock, ToolUseBlock } from '../blocks.ts';
import type { TurnRequest } from '../request.ts';
import type { CustomTool, FunctionTool, Tool, VendorTool } from '../tools.ts';

/** What stands around the text in the arguments of a call, and how a piece of it is written there. */
export const wrapping = {
  start: '{"input":"',
  piece: (text: string): string => JSON.stringify(text).slice(1, -1),
  end: '"}',
} as const;

const schema: JsonObject = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input of the tool, as plain text.' } },
  required: ['input'],
};

export function asFunction(tool: Tool): FunctionTool | VendorTool {
  if (tool.kind !== 'custom') return tool;
  return { kind: 'function', name: tool.name, description: describe(tool), schema };
}

/** The arguments of a call, as a function's. */
export function argumentsOf({ input, custom }: Pick<ToolUseBlock, 'input' | 'custom'>): string {
  return custom === true ? wrapping.start + wrapping.piece(input) + wrapping.end : input;
}

/** The request without free-text tools and their calls. */
export function withFunctionsOnly(turn: TurnRequest): TurnRequest {
  return {
    ...turn,
    tools: turn.tools.map(asFunction),
    messages: turn.messages.map((message) =>
      message.role === 'assistant' ? { ...message, content: message.content.map(asFunctionCall) } : message,
    ),
  };
}

export function asFunctionCall(block: AssistantBlock): AssistantBlock {
  if (block.type !== 'tool_use' || block.custom !== true) return block;
  return { ...block, input: argumentsOf(block), custom: undefined };
}

/** No function can hold a model to a grammar, so it is told of it in words. */
function describe({ description, format }: CustomTool): string | undefined {
  const grammar = format?.['type'] === 'grammar' ? asObject(format['grammar']) : undefined;
  if (grammar === undefined) return description;
  const told = `The input must match this ${nameOf(grammar)}:\n${asText(grammar['definition']) ?? ''}`;
  return description === undefined || description === '' ? told : `${description}\n\n${told}`;
}

function nameOf({ syntax }: JsonObject): string {
  if (syntax === 'regex') return 'regular expression';
  return syntax === 'lark' ? 'Lark grammar' : 'grammar';
}
