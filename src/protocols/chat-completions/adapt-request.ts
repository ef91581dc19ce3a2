/** Requests that pass through, in the names that the host and its model know. */
import { asObjects, type JsonObject } from '../json/fields.ts';
import type { InferenceRequest } from '../translator.ts';
import type { ChatDialect, MaxTokensField } from './dialect.ts';
import { maxTokensFields } from './max-tokens-field.ts';

/** The text as it came where the host takes it so; else written anew from its JSON, with all its fields. */
export function adaptRequest(request: InferenceRequest, upstreamId: string, dialect: ChatDialect): string {
  const { text, json } = request;
  const field = renamedBound(json, upstreamId, dialect);
  const hasRole = !dialect.developerRole && asObjects(json['messages']).some(isFromDeveloper);
  const hasOptions = dialect.streamUsage === 'always' && 'stream_options' in json;
  if (field === null && !hasRole && !hasOptions) return text;
  const { max_tokens, max_completion_tokens, stream_options, ...others } = json;
  return JSON.stringify({
    ...others,
    ...(field === null
      ? { max_tokens, max_completion_tokens }
      : { [field]: max_completion_tokens ?? max_tokens }),
    ...(hasOptions ? {} : { stream_options }),
    ...(hasRole ? { messages: asObjects(json['messages']).map(asSystem) } : {}),
  });
}

/** The name that the bound on the output must get; null when it has none, or may keep it. */
function renamedBound(json: JsonObject, upstreamId: string, dialect: ChatDialect): MaxTokensField | null {
  const known = maxTokensFields(upstreamId, dialect);
  const isUnknown = (field: MaxTokensField) => json[field] != null && !known.includes(field);
  return isUnknown('max_tokens') || isUnknown('max_completion_tokens') ? known[0] : null;
}

const isFromDeveloper = (message: JsonObject): boolean => message['role'] === 'developer';

const asSystem = (message: JsonObject): JsonObject =>
  isFromDeveloper(message) ? { ...message, role: 'system' } : message;
