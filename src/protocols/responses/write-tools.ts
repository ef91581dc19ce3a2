/** Tools and tool choice of the form in Responses requests. */
import { writeParameters } from '../chat-completions/write-tools.ts';
import { asObject, type JsonObject } from '../json/fields.ts';
import { refuse } from '../turn/refuse.ts';
import type { TurnRequest } from '../turn/request.ts';
import { isStrictSchema } from '../turn/schema.ts';
import { isWebSearch, readSearchBounds, type Tool, toolsByName, type VendorTool } from '../turn/tools.ts';

/** Tools that the protocol's vendor runs itself, which callers of chat completions may name too. */
const hostedTools =
  /^(web_search|web_search_preview|file_search|code_interpreter|image_generation|mcp)(_\d{4}_\d\d_\d\d)?$/;

export function writeTool(tool: Tool): JsonObject {
  switch (tool.kind) {
    case 'vendor':
      return writeHosted(tool);
    case 'custom': {
      const { name, description } = tool;
      return { type: 'custom', name, description, format: writeFormat(tool.format) };
    }
    case 'function': {
      const { name, description, schema, strict } = tool;
      return {
        type: 'function',
        name,
        description,
        parameters: writeParameters(schema),
        // Left out it would mean: strict where the schema allows, which no other protocol means.
        strict: strict === true && isStrictSchema(schema),
      };
    }
  }
}

function writeHosted(tool: VendorTool): JsonObject {
  if (hostedTools.test(tool.type)) return tool.json;
  if (!isWebSearch(tool)) throw refuse(`the tool type ${tool.type}`, 'tools');
  const { userLocation, allowedDomains, blockedDomains } = readSearchBounds(tool);
  const isFree = allowedDomains === undefined && blockedDomains === undefined;
  return {
    type: 'web_search',
    filters: isFree ? undefined : { allowed_domains: allowedDomains, blocked_domains: blockedDomains },
    user_location: userLocation,
  };
}

/** The protocol bounds all tools that it runs together, so that a bound can only be kept where it is of all of them. */
export function writeMostCalls(tools: readonly Tool[]): number | undefined {
  const hosted = tools.filter((tool) => tool.kind === 'vendor');
  const [bound, ...others] = new Set(hosted.map(({ maxUses }) => maxUses));
  return others.length === 0 ? bound : undefined;
}

/** Here the terms of a grammar stand beside its type. */
function writeFormat(format: JsonObject | undefined): JsonObject | undefined {
  if (format?.['type'] !== 'grammar') return format;
  return { type: 'grammar', ...asObject(format['grammar']) };
}

export function writeToolChoice({ toolChoice, tools }: TurnRequest): JsonObject | string | undefined {
  switch (toolChoice?.type) {
    case undefined:
      return undefined;
    case 'none':
    case 'required':
      return toolChoice.type;
    case 'tool':
      return writeNamed(toolChoice.name, toolsByName(tools));
    case 'allowed': {
      const byName = toolsByName(tools);
      return {
        type: 'allowed_tools',
        mode: toolChoice.required ? 'required' : 'auto',
        tools: toolChoice.names.map((name) => writeNamed(name, byName)),
      };
    }
  }
}

/** A tool that the vendor runs is chosen by its type, which is its name here. */
function writeNamed(name: string, tools: ReadonlyMap<string, Tool>): JsonObject {
  const tool = tools.get(name);
  if (tool?.kind === 'vendor') return { type: writeHosted(tool)['type'] };
  return { type: tool?.kind ?? 'function', name };
}
