/** What a request costs: its messages, its tools, and a schema for its answer. */
import type { ResponseFormat, TurnRequest } from '../turn/request.ts';
import type { Tool } from '../turn/tools.ts';
import type { TurnWeight } from './turn-weight.ts';
import { weighBlock } from './weigh-blocks.ts';

/** What vendors write around a request, and around a message. */
const requestTokens = 8;
const messageTokens = 4;

/** What vendors write around a tool. */
const toolTokens = 20;

/** A choice other than the model's own is told in words. */
const choiceTokens = 16;

export function weighTurn(turn: TurnRequest, weight: TurnWeight): void {
  weight.addTokens(requestTokens);
  if (turn.system.length > 0) weight.addTokens(messageTokens);
  for (const block of turn.system) weighBlock(block, weight);
  for (const message of turn.messages) {
    weight.addTokens(messageTokens);
    for (const block of message.content) weighBlock(block, weight);
  }
  weighTools(turn, weight);
  weighFormat(turn.responseFormat, weight);
}

function weighTools({ tools, toolChoice }: TurnRequest, weight: TurnWeight): void {
  if (tools.length === 0) return;
  weight.addTokens(weight.rates.toolPrompt);
  for (const tool of tools) weighTool(tool, weight);
  if (toolChoice === undefined) return;
  weight.addTokens(choiceTokens);
  if (toolChoice.type === 'tool') weight.addText(toolChoice.name);
  if (toolChoice.type === 'allowed') for (const name of toolChoice.names) weight.addText(name);
}

function weighTool(tool: Tool, weight: TurnWeight): void {
  if (tool.kind === 'vendor') {
    weight.addTokens(weight.rates.vendorTool);
    weight.addText(JSON.stringify(tool.json));
    return;
  }
  weight.addTokens(toolTokens);
  weight.addText(tool.name);
  weight.addText(tool.description);
  const form = tool.kind === 'function' ? tool.schema : tool.format;
  if (form !== undefined) weight.addText(JSON.stringify(form));
}

function weighFormat(format: ResponseFormat | undefined, weight: TurnWeight): void {
  if (format === undefined) return;
  weight.addTokens(weight.rates.formatPrompt);
  if (format.type !== 'json_schema') return;
  weight.addText(format.name);
  weight.addText(format.description);
  weight.addText(JSON.stringify(format.schema));
}
