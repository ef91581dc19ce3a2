/** A request without what differs between any two recordings: models, ids, bounds that only one protocol demands. */
import { isJsonObject } from '../../src/protocols/json/fields.ts';
import type { RecordedProtocol } from '../../src/protocols/testing/recordings.ts';
import type { TurnRequest } from '../../src/protocols/turn/request.ts';
import type { Tool, VendorTool } from '../../src/protocols/turn/tools.ts';
import { clients, upstreamModels, upstreams } from './protocols.ts';

export interface Outline {
  readonly system: string;
  readonly blocks: readonly string[];
  readonly texts: readonly string[];
  readonly tools: readonly unknown[];
  readonly toolChoice: unknown;
  readonly parallel: boolean;
  readonly format: unknown;
  readonly reasons: boolean;
  readonly temperature: unknown;
  readonly topK: unknown;
  readonly seed: unknown;
}

export function outlineOf(turn: TurnRequest): Outline {
  const all = turn.messages.flatMap(({ role, content }) => content.map((block) => ({ role, block })));
  const { responseFormat: format, reasoning, sampling } = turn;
  return {
    system: turn.system.map(({ text }) => text).join('\n'),
    blocks: all.map(({ role, block }) => `${role} ${block.type}`),
    texts: all.flatMap(({ block }) => (block.type === 'text' ? [block.text] : [])),
    tools: turn.tools.map((tool) =>
      tool.kind === 'vendor' ? tool.kind : [tool.name, tool.description, fieldsOf(tool)],
    ),
    toolChoice: turn.toolChoice,
    parallel: turn.parallelToolUse,
    format: format?.type === 'json_schema' ? Object.keys(format.schema['properties'] ?? {}) : format?.type,
    reasons: reasoning !== undefined && reasoning.thinking !== 'off' && reasoning.effort !== 'none',
    temperature: sampling.temperature,
    topK: sampling.topK,
    seed: sampling.seed,
  };
}

/** A free-text tool is a function with one text wherever there are only functions. */
const fieldsOf = (tool: Exclude<Tool, VendorTool>): string[] =>
  tool.kind === 'function' ? Object.keys(tool.schema['properties'] ?? {}) : ['input'];

export function readRequest(protocol: RecordedProtocol, text: string): TurnRequest {
  const json: unknown = JSON.parse(text);
  if (!isJsonObject(json)) throw new Error('a recorded request that is no JSON object');
  return clients[protocol].readRequest(json);
}

/** @throws AppError for what the target cannot carry. */
export function convertRequest(turn: TurnRequest, to: RecordedProtocol): TurnRequest {
  return readRequest(to, upstreams[to].writeRequest(turn, { id: upstreamModels[to] }));
}
