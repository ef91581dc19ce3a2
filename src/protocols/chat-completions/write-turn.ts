/** Requests of the form as chat completion requests. */

import type { JsonObject } from '../json/fields.ts';
import type { UpstreamModel } from '../protocol.ts';
import { askForSchema } from '../turn/ask-for-schema.ts';
import { withFunctionsOnly } from '../turn/free-text/as-function.ts';
import { withinBound } from '../turn/output-bound.ts';
import type { ResponseFormat, TurnRequest } from '../turn/request.ts';
import { isStrictSchema } from '../turn/schema.ts';
import type { ChatDialect } from './dialect.ts';
import { maxTokensFields } from './max-tokens-field.ts';
import { withShortToolIds } from './short-tool-ids.ts';
import { writeMessages } from './write-messages.ts';
import { writeReasoning } from './write-reasoning.ts';
import { writeSampling } from './write-sampling.ts';
import { writeAnswerSchema } from './write-schema.ts';
import { writeToolFields } from './write-tools.ts';
import { writeUser } from './write-user.ts';

/** @throws AppError invalid_parameter for what the protocol, or the host, cannot hold. */
export function writeChatTurn(asked: TurnRequest, model: UpstreamModel, dialect: ChatDialect): string {
  const bounded = withinBound(asked, model);
  const turn = dialect.customTools ? bounded : withFunctionsOnly(bounded);
  const { responseFormat: format } = turn;
  const { request, responseFormat } =
    format?.type === 'json_schema' && !dialect.jsonSchema
      ? // The host promises JSON, but no schema.
        { request: askForSchema(turn, format.schema), responseFormat: { type: 'json_object' } }
      : { request: turn, responseFormat: writeResponseFormat(format) };
  return JSON.stringify({
    model: model.id,
    messages: writeMessages(dialect.shortToolIds ? withShortToolIds(request) : request, dialect),
    [maxTokensFields(model.id, dialect)[0]]: turn.maxOutputTokens,
    ...writeSampling(turn, model, dialect),
    ...writeToolFields(turn, dialect),
    ...writeReasoning(turn.reasoning, model, dialect),
    response_format: responseFormat,
    user: dialect.user ? writeUser(turn.userId) : undefined,
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
