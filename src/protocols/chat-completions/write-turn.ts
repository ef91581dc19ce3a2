/** Requests of the form as chat completion requests. */
import type { UpstreamModel } from '../protocol.ts';
import { withFunctionsOnly } from '../turn/free-text/as-function.ts';
import type { ResponseFormat, TurnRequest } from '../turn/request.ts';
import { isStrictSchema } from '../turn/schema.ts';
import type { JsonObject } from '../turn/tools.ts';
import type { ChatDialect } from './dialect.ts';
import { maxTokensFields } from './max-tokens-field.ts';
import { withShortToolIds } from './short-tool-ids.ts';
import { writeMessages } from './write-messages.ts';
import { writeReasoning } from './write-reasoning.ts';
import { writeSampling } from './write-sampling.ts';
import { writeToolFields } from './write-tools.ts';

/** @throws AppError invalid_parameter for what the protocol, or the host, cannot hold. */
export function writeChatTurn(asked: TurnRequest, model: UpstreamModel, dialect: ChatDialect): string {
  const turn = dialect.customTools ? asked : withFunctionsOnly(asked);
  const { responseFormat: format } = turn;
  const { request, responseFormat } =
    format?.type === 'json_schema' && !dialect.jsonSchema
      ? askForSchema(turn, format.schema)
      : { request: turn, responseFormat: writeResponseFormat(format) };
  return JSON.stringify({
    model: model.id,
    messages: writeMessages(dialect.shortToolIds ? withShortToolIds(request) : request, dialect),
    [maxTokensFields(model.id, dialect)[0]]: turn.maxOutputTokens,
    ...writeSampling(turn, model, dialect),
    ...writeToolFields(turn, dialect),
    ...writeReasoning(turn.reasoning, model, dialect),
    response_format: responseFormat,
    user: dialect.user ? turn.userId : undefined,
    ...writeVendorFields(turn, dialect),
    ...dialect.extra,
    ...(turn.stream ? writeStreaming(dialect) : {}),
  });
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
  const strict = format.strict && isStrictSchema(schema);
  return { type: 'json_schema', json_schema: { name, description, schema, strict } };
}

/** For hosts that promise JSON but no schema: the model is told of it in words. */
function askForSchema(
  turn: TurnRequest,
  schema: JsonObject,
): { request: TurnRequest; responseFormat: JsonObject } {
  const text = `Answer with one JSON object and nothing else. It must fit this JSON schema: ${JSON.stringify(schema)}`;
  return {
    request: { ...turn, system: [...turn.system, { type: 'text', text }] },
    responseFormat: { type: 'json_object' },
  };
}
