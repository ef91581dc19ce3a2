/**
 * Writes tools and their choice in Converse requests. The API has no `none` and no word for one tool at most. Claude has
 * both in a field of its own, and refuses a request that then says `toolChoice` too.
 */
import type { JsonObject } from '../json/fields.ts';
import { ClosedRoom, closeSchema } from '../turn/closed-schema.ts';
import { asFunction } from '../turn/free-text/as-function.ts';
import { namesNoTool, refuse } from '../turn/refuse.ts';
import type { Message, TurnRequest } from '../turn/request.ts';
import { asObjectSchema, withPlainRoot } from '../turn/root-schema.ts';
import type { FunctionTool } from '../turn/tools.ts';
import type { ModelTraits } from './models.ts';

interface WrittenTools {
  readonly toolConfig?: JsonObject;
  /** `tool_choice` among Claude's own fields. */
  readonly claudeChoice?: JsonObject;
}

type Choice =
  | { readonly type: 'auto' }
  | { readonly type: 'any' }
  | { readonly type: 'tool'; readonly name: string };

export function writeToolUse(turn: TurnRequest, traits: ModelTraits): WrittenTools {
  const offered = offeredTools(turn);
  if (offered.length === 0) return {};
  const tools = writeTools(offered, traits, new ClosedRoom(turn));
  if (turn.tools.length === 0 || turn.toolChoice?.type === 'none') {
    if (traits.claude !== null) return { toolConfig: { tools }, claudeChoice: { type: 'none' } };
    // Only leaving them out forbids them, which a conversation that has used some does not allow.
    return usesTools(turn.messages) ? { toolConfig: { tools } } : {};
  }
  const choice = choiceOf(turn);
  if (traits.claude === null || turn.parallelToolUse) {
    return { toolConfig: { tools, toolChoice: writeChoice(choice) } };
  }
  return { toolConfig: { tools }, claudeChoice: { ...choice, disable_parallel_tool_use: true } };
}

function choiceOf({ toolChoice }: TurnRequest): Choice {
  switch (toolChoice?.type) {
    case 'required':
      return { type: 'any' };
    case 'tool':
      return { type: 'tool', name: toolChoice.name };
    case 'allowed':
      return { type: toolChoice.required ? 'any' : 'auto' };
    default:
      return { type: 'auto' };
  }
}

function writeChoice(choice: Choice): JsonObject | undefined {
  switch (choice.type) {
    case 'auto':
      return undefined;
    case 'any':
      return { any: {} };
    case 'tool':
      return { tool: { name: choice.name } };
  }
}

/**
 * The tools that a request can name. The API cannot narrow a choice to some of the tools, so the others are left out;
 * and it demands the tools of a conversation that has used some, so those that are no longer offered are made up from
 * it, without their schemas. Their use is then forbidden, or at least not asked for.
 */
function offeredTools({ tools, toolChoice, messages }: TurnRequest): readonly FunctionTool[] {
  if (tools.length === 0) return namesInUse(messages).map(asTool);
  const allowed = toolChoice?.type === 'allowed' ? new Set(toolChoice.names) : null;
  const offered = tools.map(asFunction).flatMap((tool) => {
    if (tool.kind === 'vendor') throw refuse(`the tool type ${tool.type}`, 'tools');
    return allowed === null || allowed.has(tool.name) ? [tool] : [];
  });
  if (offered.length === 0) throw namesNoTool();
  return offered;
}

function usesTools(messages: readonly Message[]): boolean {
  return messages.some(({ content }) =>
    content.some(({ type }) => type === 'tool_use' || type === 'tool_result'),
  );
}

/** A result whose tool use is gone still wants some tool. */
function namesInUse(messages: readonly Message[]): readonly string[] {
  if (!usesTools(messages)) return [];
  const names = messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'tool_use' ? [block.name] : [])),
  );
  return names.length === 0 ? ['tool'] : [...new Set(names)];
}

const asTool = (name: string): FunctionTool => ({ kind: 'function', name, schema: { type: 'object' } });

function writeTools(
  tools: readonly FunctionTool[],
  traits: ModelTraits,
  room: ClosedRoom,
): readonly JsonObject[] {
  const { tools: takesPoints, lifetimes } = traits.cachePoints;
  return tools.flatMap((tool) => {
    const written = { toolSpec: writeSpec(tool, traits, room) };
    if (tool.cache === undefined || !takesPoints) return [written];
    const ttl = lifetimes ? tool.cache.ttl : undefined;
    return [written, { cachePoint: { type: 'default', ttl } }];
  });
}

/** A strict schema is closed, as the API demands; where a model knows no strict tools the schema stays as it is. */
function writeSpec(tool: FunctionTool, { strictTools }: ModelTraits, room: ClosedRoom): JsonObject {
  const { name, description } = tool;
  const schema = withPlainRoot(tool.schema, 'anthropic');
  const strict = strictTools && tool.strict === true && !room.takesTool(schema) ? undefined : tool.strict;
  const isStrict = strictTools && strict === true;
  return {
    name,
    description: description === '' ? undefined : description,
    inputSchema: { json: isStrict ? closeSchema(schema) : asObjectSchema(schema) },
    strict: strictTools ? strict : undefined,
  };
}
