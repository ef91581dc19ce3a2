/** Perplexity's Agent API: responses, but for some members, and strict. It took the place of Sonar's chat completions. */
import { asObject, asObjects, asText, type JsonObject, tryParseJson } from '../../protocols/json/fields.ts';
import type { ClientProtocol, PassingProtocol, UpstreamProtocol } from '../../protocols/protocol.ts';
import { responsesClient, responsesUpstream } from '../../protocols/responses/protocol.ts';
import { convert } from '../../protocols/translate/translate.ts';
import type { InferenceRequest, Translator } from '../../protocols/translator.ts';
import { withFunctionsOnly } from '../../protocols/turn/free-text/as-function.ts';

/**
 * The members that it takes, as of 2026-11; any other, at any depth, is refused with 400. From the mapping that
 * Perplexity publishes (https://docs.perplexity.ai/docs/agent-api/migrate-from-sonar/how-to, and
 * skills/migrate-sonar-to-agent-api in https://github.com/perplexityai/api-platform-developers), and its official client
 * (https://github.com/perplexityai/perplexity-node, src/resources/responses).
 */
const asElsewhere = [
  ...['model', 'instructions', 'max_output_tokens', 'temperature', 'top_p', 'parallel_tool_calls'],
  ...['metadata', 'store', 'stream'],
] as const;
const inOwnForm = ['input', 'tools', 'tool_choice', 'reasoning', 'response_format'] as const;
const itsOwn = [
  ...['background', 'language_preference', 'max_steps', 'max_tool_calls', 'previous_response_id'],
  ...['stream_options', 'truncation'],
] as const;
const taken: ReadonlySet<string> = new Set([...asElsewhere, ...inOwnForm, ...itsOwn]);
const efforts: ReadonlySet<unknown> = new Set(['minimal', 'low', 'medium', 'high', 'xhigh', 'max']);

const agent: UpstreamProtocol = {
  ...responsesUpstream,
  writeRequest: (turn, model) => {
    const written = asObject(tryParseJson(responsesUpstream.writeRequest(withFunctionsOnly(turn), model)));
    return JSON.stringify(asAgentRequest(written ?? {}));
  },
};

const client = responsesClient();
/** To the form, who goes on with an answer refers to what nobody keeps; this host keeps it. */
const ofOthers: ClientProtocol = {
  ...client,
  readRequest: (json, text) => client.readRequest({ ...json, previous_response_id: null }, text),
};
const converting = convert({ client: ofOthers, upstream: agent });
const passing = responsesUpstream.passthrough;

/**
 * What the official clients of the protocol send goes on in another form, and keeps what is this host's own: what is
 * set aside for a request rests on its `max_tool_calls`. All else passes as it is.
 */
const passthrough: Translator = {
  writeRequest: (request, upstreamId, facts) => {
    const written = fitting(request).writeRequest(request, upstreamId, facts);
    if (!isOfOthers(request)) return written;
    const own = Object.entries(pick(request.json, itsOwn)).filter(([, value]) => value != null);
    return JSON.stringify({ ...asObject(tryParseJson(written)), ...Object.fromEntries(own) });
  },
  readAnswer: (body, request) => fitting(request).readAnswer(body, request),
  openStream: (request) => fitting(request).openStream(request),
  readComplaint: passing.readComplaint,
};

export const perplexityAgent: PassingProtocol = { ...agent, passthrough };

const fitting = (request: InferenceRequest): Translator => (isOfOthers(request) ? converting : passing);

function isOfOthers({ json }: InferenceRequest): boolean {
  const isStrange = Object.keys(json).some((name) => !taken.has(name));
  return isStrange || asObjects(json['tools']).some(({ type }) => type === 'custom' || type === 'namespace');
}

function asAgentRequest(written: JsonObject): JsonObject {
  const { input, tools, tool_choice, reasoning, text } = written;
  const effort = asObject(reasoning)?.['effort'];
  return {
    ...pick(written, asElsewhere),
    input: asObjects(input).flatMap(asAgentItem),
    tools: tools === undefined ? undefined : asObjects(tools).map(asAgentTool),
    tool_choice: asAgentChoice(tool_choice),
    reasoning: efforts.has(effort) ? { effort } : undefined,
    response_format: asResponseFormat(asObject(asObject(text)?.['format'])),
  };
}

/** What was said and what a tool answered are one text each; nobody else's reasoning is taken back. */
function asAgentItem(item: JsonObject): readonly JsonObject[] {
  const { type, role, content, output } = item;
  if (type === 'reasoning') return [];
  if (type === 'function_call_output') return [{ ...item, output: joinTexts(output) }];
  if (type === 'function_call') return [item];
  if (role === 'assistant') return [{ type: 'message', role, content: joinTexts(content) }];
  return [{ type: 'message', role, content: Array.isArray(content) ? content.map(asAgentPart) : content }];
}

function joinTexts(content: unknown): string {
  if (typeof content === 'string') return content;
  return asObjects(content)
    .map((part) => asText(part['text']) ?? asText(part['refusal']) ?? '')
    .join('');
}

/** How closely an image is looked at cannot be said. */
function asAgentPart(part: unknown): unknown {
  const { type, image_url } = asObject(part) ?? {};
  return type === 'input_image' && image_url !== undefined ? { type, image_url } : part;
}

/** A place has no type here, and domains that are searched stand under another name. */
function asAgentTool(tool: JsonObject): JsonObject {
  if (asText(tool['type'])?.startsWith('web_search') !== true) return tool;
  const place = asObject(tool['user_location']);
  const filters = asObject(tool['filters']);
  const { allowed_domains: domains, ...ownFilters } = filters ?? {};
  return {
    ...pick(tool, searchMembers),
    type: 'web_search',
    user_location: place && pick(place, placeMembers),
    filters: filters && { ...ownFilters, ...(domains !== undefined && { search_domain_filter: domains }) },
  };
}

const searchMembers = ['search_context_size', 'max_results', 'max_tokens', 'max_tokens_per_page'] as const;
const placeMembers = ['city', 'country', 'region', 'latitude', 'longitude'] as const;

const pick = (from: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, from[name]]));

/** One tool is named by its name alone; several of many cannot be. */
function asAgentChoice(choice: unknown): unknown {
  const named = asObject(choice);
  if (named === undefined) return choice;
  return named['type'] === 'allowed_tools' ? named['mode'] : { name: named['name'] };
}

function asResponseFormat(format: JsonObject | undefined): JsonObject | undefined {
  if (format?.['type'] !== 'json_schema') return format;
  const { type, ...json_schema } = format;
  return { type, json_schema };
}
