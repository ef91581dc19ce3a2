/** A tool choice that the host does not know, said by leaving out the tools that may not be used. */
import { cannotRead, refuse } from '../turn/refuse.ts';
import type { TurnRequest } from '../turn/request.ts';
import type { ChatDialect } from './dialect.ts';

/** @throws AppError invalid_parameter when the host cannot be told that a tool must be used. */
export function fitToolChoice(turn: TurnRequest, dialect: ChatDialect): TurnRequest {
  const { toolChoice } = turn;
  if (toolChoice === undefined || dialect.toolChoices.includes(toolChoice.type)) return turn;
  switch (toolChoice.type) {
    case 'none':
      return { ...turn, tools: [], toolChoice: undefined };
    case 'required':
      throw refuse('a request in which a tool must be used', 'tool_choice');
    case 'tool':
      return narrow(turn, [toolChoice.name], { required: true, dialect });
    case 'allowed':
      return narrow(turn, toolChoice.names, { required: toolChoice.required, dialect });
  }
}

function narrow(
  turn: TurnRequest,
  names: readonly string[],
  { required, dialect }: { required: boolean; dialect: ChatDialect },
): TurnRequest {
  const tools = turn.tools.filter((tool) => tool.kind !== 'vendor' && names.includes(tool.name));
  if (tools.length === 0) throw cannotRead('tool_choice', 'names no tool that the request declares');
  const narrowed: TurnRequest = {
    ...turn,
    tools,
    toolChoice: required ? { type: 'required' } : undefined,
  };
  return fitToolChoice(narrowed, dialect);
}
