/** Requests of the form as Responses requests: settings, sampling and reasoning. */
import {
  doesReason,
  effortFor,
  openaiBounds,
  takesSampling,
  takesSchemas,
} from '../chat-completions/models.ts';
import { writeUser } from '../chat-completions/write-request.ts';
import { writeAnswerSchema } from '../chat-completions/write-tools.ts';
import { asBoolean, type JsonObject } from '../json/fields.ts';
import type { UpstreamModel } from '../protocol.ts';
import { refuse } from '../turn/refuse.ts';
import { type Reasoning, type ResponseFormat, type TurnRequest, withinBound } from '../turn/request.ts';
import { askForSchema, isStrictSchema, withJsonInWords } from '../turn/schema.ts';
import { encryptedPart, logprobsPart } from './items.ts';
import { writeConversation } from './write-messages.ts';
import { writeMostCalls, writeTool, writeToolChoice } from './write-tools.ts';

/** @throws AppError invalid_parameter for what the protocol cannot hold. */
export function writeResponsesTurn(request: TurnRequest, model: UpstreamModel): string {
  const turn = withJsonInWords(withSchemaIn(withinBound(request, model), model));
  if (turn.choices !== undefined) throw refuse('more than one choice', 'n');
  if (turn.stopSequences.length > 0) throw refuse('stop sequences', 'stop');
  const { sampling, tools, maxOutputTokens } = turn;
  const { verbosity, store: asked, ...others } = turn.vendor.openai ?? {};
  // Nobody would ever come back for what is kept: the conversation is sent whole each time.
  const store = asBoolean(asked) ?? false;
  const hasTools = tools.length > 0;
  const reasons = doesReason(model);
  const format = writeFormat(turn.responseFormat);
  const isFree = takesSampling(model.id, effortFor(turn.reasoning, model));
  const logprobs = isFree ? turn.logprobs : undefined;
  return JSON.stringify({
    model: model.id,
    ...writeConversation(turn),
    max_output_tokens:
      maxOutputTokens === undefined ? undefined : Math.max(openaiBounds.leastOutputTokens, maxOutputTokens),
    temperature: isFree ? sampling.temperature : undefined,
    top_p: isFree ? sampling.topP : undefined,
    tools: hasTools ? tools.map(writeTool) : undefined,
    tool_choice: hasTools ? writeToolChoice(turn) : undefined,
    max_tool_calls: writeMostCalls(tools),
    parallel_tool_calls: hasTools && !turn.parallelToolUse ? false : undefined,
    reasoning: reasons ? writeReasoning(turn.reasoning, model) : undefined,
    text: format === undefined && verbosity === undefined ? undefined : { format, verbosity },
    include: writeInclude({ encrypted: reasons && !store, logprobs: logprobs !== undefined }),
    top_logprobs: logprobs === 0 ? undefined : logprobs,
    user: writeUser(turn.userId),
    ...others,
    store,
    stream: turn.stream ? true : undefined,
  });
}

/** A model that cannot be held to a schema is told of it in words, and held to JSON. */
function withSchemaIn(turn: TurnRequest, { id }: UpstreamModel): TurnRequest {
  const { responseFormat: format } = turn;
  if (format?.type !== 'json_schema' || takesSchemas(id)) return turn;
  return { ...askForSchema(turn, format.schema), responseFormat: { type: 'json' } };
}

/** What is not kept must be brought back, thinking included, and it is given only when asked for. */
function writeInclude(wanted: { encrypted: boolean; logprobs: boolean }): readonly string[] | undefined {
  const parts = [...(wanted.encrypted ? [encryptedPart] : []), ...(wanted.logprobs ? [logprobsPart] : [])];
  return parts.length === 0 ? undefined : parts;
}

function writeFormat(format: ResponseFormat | undefined): JsonObject | undefined {
  if (format === undefined) return undefined;
  if (format.type === 'json') return { type: 'json_object' };
  const { name = 'answer', description, schema } = format;
  return {
    type: 'json_schema',
    name,
    description,
    schema: writeAnswerSchema(schema),
    strict: format.strict && isStrictSchema(schema),
  };
}

/** A summary is asked for where the caller's protocol would show the thinking. */
function writeReasoning(reasoning: Reasoning | undefined, model: UpstreamModel): JsonObject | undefined {
  if (reasoning === undefined) return undefined;
  const effort = effortFor(reasoning, model);
  const isShown = reasoning.thinking !== undefined && reasoning.thinking !== 'off' && effort !== 'none';
  if (effort === undefined && !isShown) return undefined;
  return { effort, summary: isShown ? 'auto' : undefined };
}
