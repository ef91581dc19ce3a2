/** Fits a turn to what the upstream's Claude takes: what it can no longer be told in a field, it is told in words. */

import type { Sampling, TurnRequest } from '../turn/request.ts';
import { askForSchema } from '../turn/schema.ts';
import type { ClaudeModel } from './models.ts';

export function fitToModel(turn: TurnRequest, claude: ClaudeModel): TurnRequest {
  const asked = claude.forcedTools || !isForced(turn) ? turn : withToolInWords(turn);
  return claude.schemas ? asked : withSchemasInWords(asked);
}

export function isForced({ toolChoice, tools }: TurnRequest): boolean {
  if (toolChoice === undefined || tools.length === 0) return false;
  return toolChoice.type === 'allowed' ? toolChoice.required : toolChoice.type !== 'none';
}

/** A choice of one tool offers that tool alone, so that the model can at least call no other. */
function withToolInWords(turn: TurnRequest): TurnRequest {
  const { toolChoice } = turn;
  const names =
    toolChoice?.type === 'tool'
      ? [toolChoice.name]
      : toolChoice?.type === 'allowed'
        ? toolChoice.names
        : null;
  const which = names === null ? 'one of the tools' : names.map((name) => `"${name}"`).join(' or ');
  const text = `Do not answer in text: call ${which}.`;
  return {
    ...turn,
    system: [...turn.system, { type: 'text', text }],
    toolChoice: names === null ? undefined : { type: 'allowed', names, required: false },
  };
}

function withSchemasInWords(turn: TurnRequest): TurnRequest {
  const format = turn.responseFormat;
  const asked =
    format?.type === 'json_schema'
      ? { ...askForSchema(turn, format.schema), responseFormat: undefined }
      : turn;
  const tools = asked.tools.map((tool) => (tool.kind === 'function' ? { ...tool, strict: undefined } : tool));
  return { ...asked, tools };
}

/** Thinking allows none of them, newer models neither, and the ones between not temperature and top_p at once. */
export function samplingFor(
  { temperature, topP, topK }: Sampling,
  claude: ClaudeModel,
  isThinking: boolean,
): Sampling {
  if (!claude.sampling || isThinking) return {};
  if (temperature === undefined) return { topP, topK };
  return { temperature: Math.min(1, temperature), topK };
}
