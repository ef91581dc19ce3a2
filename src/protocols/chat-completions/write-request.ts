/** Requests of the form as chat completion requests: settings, sampling and reasoning, in the fields of the host. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../json/fields.ts';
import type { UpstreamModel } from '../protocol.ts';
import { withFunctionsOnly } from '../turn/free-text/as-function.ts';
import { refuse } from '../turn/refuse.ts';
import {
  type Effort,
  type Message,
  type Reasoning,
  type ResponseFormat,
  type TurnRequest,
  withinBound,
} from '../turn/request.ts';
import { askForSchema, isStrictSchema, withJsonInWords } from '../turn/schema.ts';
import { type ChatDialect, maxTokensFields, openaiDialect, type ReasoningDialect } from './dialect.ts';
import { shortToolId } from './earlier-messages.ts';
import {
  doesReason,
  effortFor,
  openaiBounds,
  refusesChatTools,
  takesPenalties,
  takesSampling,
  takesSchemas,
  takesStopSequences,
} from './models.ts';
import { writeMessages } from './write-messages.ts';
import { writeAnswerSchema, writeToolFields } from './write-tools.ts';

/** @throws AppError invalid_parameter for what the protocol, or the host, cannot hold. */
export function writeChatTurn(asked: TurnRequest, model: UpstreamModel, dialect: ChatDialect): string {
  const bounded = withToolsAtRest(withinBound(asked, model), model, dialect);
  const turn = dialect.customTools ? bounded : withFunctionsOnly(bounded);
  const { responseFormat: format } = turn;
  const { request, responseFormat } =
    format?.type === 'json_schema' && !(dialect.jsonSchema && takesSchemas(model.id))
      ? // The host or the model promises JSON, but no schema.
        { request: askForSchema(turn, format.schema), responseFormat: { type: 'json_object' } }
      : { request: withJsonInWords(turn), responseFormat: writeResponseFormat(format) };
  return JSON.stringify({
    model: model.id,
    messages: writeMessages(dialect.shortToolIds ? withShortToolIds(request) : request, dialect),
    [maxTokensFields(model.id, dialect)[0]]: turn.maxOutputTokens,
    ...writeSampling(turn, model, dialect),
    ...writeToolFields(turn, model, dialect),
    ...writeReasoning(turn.reasoning, model, dialect),
    response_format: responseFormat,
    user: dialect.user ? writeUser(turn.userId) : undefined,
    ...writeVendorFields(turn, dialect),
    ...dialect.extra,
    ...(turn.stream ? writeStreaming(dialect) : {}),
  });
}

/** A model that would refuse the tools while it reasons does not reason: here it can do without that rather than them. */
function withToolsAtRest(turn: TurnRequest, model: UpstreamModel, dialect: ChatDialect): TurnRequest {
  const callsTools = dialect === openaiDialect && turn.tools.some(({ kind }) => kind !== 'vendor');
  return callsTools && refusesChatTools(model.id, effortFor(turn.reasoning, model))
    ? { ...turn, reasoning: { effort: 'none' } }
    : turn;
}

const writeStreaming = ({ streamUsage }: ChatDialect): JsonObject =>
  streamUsage === 'asked' ? { stream: true, stream_options: { include_usage: true } } : { stream: true };

function writeVendorFields({ vendor }: TurnRequest, { vendorFields }: ChatDialect): JsonObject {
  const entries = Object.entries(vendor.openai ?? {});
  return Object.fromEntries(entries.filter(([name]) => vendorFields.includes(name)));
}

function writeResponseFormat(format: ResponseFormat | undefined): JsonObject | undefined {
  if (format === undefined) return undefined;
  if (format.type === 'json') return { type: 'json_object' };
  const { name = 'answer', description, schema } = format;
  return {
    type: 'json_schema',
    json_schema: {
      name,
      description,
      schema: writeAnswerSchema(schema),
      strict: format.strict && isStrictSchema(schema),
    },
  };
}

/** @throws AppError invalid_parameter for several choices and stop sequences that the host cannot take. */
function writeSampling(turn: TurnRequest, model: UpstreamModel, dialect: ChatDialect): JsonObject {
  const { sampling, stopSequences, choices, logprobs } = turn;
  const isFree = takesSampling(model.id, effortFor(turn.reasoning, model));
  const isFixed = dialect.fixedSampling?.test(model.id) === true || !isFree;
  const isPlain = dialect.plainModels?.test(model.id) === true;
  if (choices !== undefined && !dialect.severalChoices) throw refuse('a request for several answers', 'n');
  const takesStops = !isPlain && takesStopSequences(model.id);
  // An answer is cut here where the upstream does not stop, but not several at once.
  if (stopSequences.length > 0 && !takesStops && choices !== undefined)
    throw refuse('stop sequences', 'stop');
  const hasPenalties = dialect.penalties && !isFixed && !isPlain && takesPenalties(model.id);
  const hasLogprobs = dialect.logprobs && logprobs !== undefined && isFree;
  return {
    ...(isFixed ? {} : { temperature: sampling.temperature, top_p: sampling.topP }),
    ...(dialect.topK && !isFixed ? { top_k: sampling.topK } : {}),
    ...(dialect.seedField === null ? {} : { [dialect.seedField]: sampling.seed }),
    ...(hasPenalties
      ? { frequency_penalty: sampling.frequencyPenalty, presence_penalty: sampling.presencePenalty }
      : {}),
    stop:
      takesStops && stopSequences.length > 0
        ? stopSequences.slice(0, openaiBounds.mostStopSequences)
        : undefined,
    n: choices,
    logprobs: hasLogprobs ? true : undefined,
    top_logprobs: hasLogprobs && logprobs > 0 ? logprobs : undefined,
  };
}

/** Nothing for a model that is known not to reason: hosts refuse the fields for it. */
function writeReasoning(
  reasoning: Reasoning | undefined,
  model: UpstreamModel,
  dialect: ChatDialect,
): JsonObject {
  if (reasoning === undefined || !doesReason(model)) return {};
  const special = dialect.reasoningByModel?.find(({ models }) => models.test(model.id));
  return writeIn(special?.reasoning ?? dialect.reasoning, reasoning, effortFor(reasoning, model));
}

function writeIn(dialect: ReasoningDialect, reasoning: Reasoning, effort: Effort | undefined): JsonObject {
  const isOff = reasoning.thinking === 'off';
  const isNone = isOff || effort === 'none';
  switch (dialect.style) {
    case 'none':
      return {};
    case 'effort':
      return { reasoning_effort: (isOff ? dialect.off : undefined) ?? (effort && dialect.words[effort]) };
    case 'thinking':
      if (isNone) return dialect.canStop ? { thinking: { type: 'disabled' } } : {};
      return { thinking: { type: dialect.on }, reasoning_effort: effort && dialect.words?.[effort] };
    case 'enable_thinking':
      return { enable_thinking: !isNone, thinking_budget: isNone ? undefined : reasoning.budgetTokens };
    case 'enabled':
      if (isNone) return { reasoning: { enabled: false } };
      if (effort !== undefined) return { reasoning_effort: dialect.words[effort] };
      return { reasoning: { enabled: true } };
    case 'object':
      return { reasoning: writeObject(dialect.words, reasoning, isNone ? 'none' : effort) };
  }
}

/** A budget goes before the effort that would only stand for it. */
function writeObject(
  words: Readonly<Partial<Record<Effort, string>>>,
  { effort: asked, budgetTokens }: Reasoning,
  effort: Effort | undefined,
): JsonObject {
  if (effort === 'none') return { enabled: false };
  if (asked === undefined && budgetTokens !== undefined) return { max_tokens: budgetTokens };
  return effort === undefined ? { enabled: true } : { effort: words[effort] };
}

const mostCharacters = openaiBounds.mostUserCharacters;

/** Who asks, within the length that OpenAI takes. A longer name becomes its hash: the same caller stays the same. */
export function writeUser(userId: string | undefined): string | undefined {
  if (userId === undefined || userId.length <= mostCharacters) return userId;
  return createHash('sha256').update(userId).digest('hex').slice(0, mostCharacters);
}

/**
 * For hosts that take only ids of nine letters and digits, such as they make themselves (Mistral). A call and its result
 * get the same id again; one that the host made stays as it is.
 */
function withShortToolIds(turn: TurnRequest): TurnRequest {
  return { ...turn, messages: turn.messages.map(shorten) };
}

function shorten(message: Message): Message {
  switch (message.role) {
    case 'system':
      return message;
    case 'user':
      return {
        ...message,
        content: message.content.map((block) =>
          block.type === 'tool_result' ? { ...block, toolUseId: shortToolId(block.toolUseId) } : block,
        ),
      };
    case 'assistant':
      return {
        ...message,
        content: message.content.map((block) =>
          block.type === 'tool_use' ? { ...block, id: shortToolId(block.id) } : block,
        ),
      };
  }
}
