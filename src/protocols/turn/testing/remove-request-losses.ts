/** Takes declared losses out of a request. One entry for each loss there is, in the order in which they apply. */
import type { AssistantBlock } from '../blocks.ts';
import type { DeclaredLosses, RequestLoss } from '../losses.ts';
import type { Sampling, TurnRequest } from '../request.ts';
import { closeSchema, isStrictSchema } from '../schema.ts';
import type { Tool } from '../tools.ts';
import {
  inOrder,
  isMedia,
  joinUnsigned,
  mapAssistant,
  mapShown,
  mapUser,
  refusalsAsText,
  wholeArguments,
  withMessages,
} from './remove-block-losses.ts';

type Vendor = DeclaredLosses['vendor'];
type Remove = (request: TurnRequest, vendor: Vendor) => TurnRequest;

const removers: Readonly<Record<RequestLoss, Remove>> = {
  audio: (request) => mapShown(request, (block) => (block.type === 'audio' ? null : block)),
  'closeness of images': (request) =>
    mapShown(request, (block) => (block.type === 'image' ? { ...block, detail: undefined } : block)),
  'context of documents': (request) =>
    mapShown(request, (block) => (block.type === 'document' ? { ...block, context: undefined } : block)),
  'documents as text': (request) =>
    mapShown(request, (block) =>
      block.type === 'document' && (block.source.kind === 'text' || block.source.kind === 'content')
        ? null
        : block,
    ),
  'documents by URL': (request) =>
    mapShown(request, (block) => (block.type === 'document' && block.source.kind === 'url' ? null : block)),
  'documents other than PDF': (request) =>
    mapShown(request, (block) =>
      block.type === 'document' &&
      block.source.kind === 'base64' &&
      block.source.mediaType !== 'application/pdf'
        ? null
        : block,
    ),
  'documents without a title': (request) =>
    mapShown(request, (block) =>
      block.type === 'document' ? { ...block, title: block.title ?? 'file' } : block,
    ),
  'files of other vendors': (request, vendor) =>
    mapShown(request, (block) =>
      isMedia(block) && block.source.kind === 'file' && block.source.vendor !== vendor ? null : block,
    ),
  'images by file id': (request) =>
    mapShown(request, (block) => (block.type === 'image' && block.source.kind === 'file' ? null : block)),
  'media in tool results': (request) =>
    mapUser(request, (block) =>
      block.type === 'tool_result'
        ? [{ ...block, content: block.content.filter(({ type }) => type === 'text') }]
        : [block],
    ),
  'error marks of tool results': (request) =>
    mapUser(request, (block) => [block.type === 'tool_result' ? { ...block, isError: false } : block]),
  'arguments that are no JSON object': (request) => mapAssistant(request, wholeArguments),
  refusals: (request) => mapAssistant(request, refusalsAsText),
  'signatures of other vendors': (request, vendor) =>
    mapAssistant(request, (content) =>
      content.flatMap((block): readonly AssistantBlock[] => {
        if (block.type === 'tool_use') return [{ ...block, signature: undefined }];
        if (block.type !== 'thinking' && block.type !== 'redacted_thinking') return [block];
        return block.signature === undefined || block.signature.origin === vendor ? [block] : [];
      }),
    ),
  'unsigned thinking': (request) =>
    mapAssistant(request, (content) =>
      content.filter((block) => block.type !== 'thinking' || block.signature !== undefined),
    ),
  'free-text tools': (request) =>
    mapAssistant(
      withTools(request, (tool) => tool.kind !== 'custom'),
      (content) => content.filter((block) => block.type !== 'tool_use' || block.custom !== true),
    ),
  'vendor tools': (request) => withTools(request, (tool) => tool.kind !== 'vendor'),
  'some of the tools': (request) => {
    const { toolChoice } = request;
    if (toolChoice?.type !== 'allowed') return request;
    const narrowed = withTools(request, (tool) => 'name' in tool && toolChoice.names.includes(tool.name));
    return { ...narrowed, toolChoice: toolChoice.required ? { type: 'required' } : undefined };
  },
  'tool choice without tools': (request) =>
    request.tools.length === 0 ? { ...request, toolChoice: undefined, parallelToolUse: true } : request,
  'parallel use without a choice': (request) =>
    request.toolChoice?.type === 'none' ? { ...request, parallelToolUse: true } : request,
  'instructions in the middle': (request) =>
    withMessages(
      request,
      request.messages.filter(({ role }) => role !== 'system'),
    ),
  'blocks in another order': (request) => mapAssistant(request, inOrder),
  'unsigned thinking in pieces': (request) => mapAssistant(request, joinUnsigned),
  'cache marks': withoutMarks,
  'a conversation without messages': (request) =>
    request.messages.some(({ role }) => role === 'user')
      ? request
      : withMessages(request, [
          ...request.messages,
          { role: 'user', content: [{ type: 'text', text: 'hello' }] },
        ]),
  'an output bound that nobody set': (request) => ({
    ...request,
    maxOutputTokens: request.maxOutputTokens ?? 1000,
  }),
  'blank stop sequences': (request) => ({
    ...request,
    stopSequences: request.stopSequences.filter((sequence) => sequence.trim() !== ''),
  }),
  'fields of one vendor': (request) => ({ ...request, vendor: {} }),
  'JSON without a schema': (request) =>
    request.responseFormat?.type === 'json' ? { ...request, responseFormat: undefined } : request,
  'likely tokens': (request) => ({ ...request, logprobs: undefined }),
  'several choices': (request) => ({ ...request, choices: undefined }),
  'name and strictness of a schema': withSchemaTerms,
  'open schemas': (request) => ({
    ...request,
    tools: request.tools.map((tool) =>
      tool.kind === 'function' && tool.strict === true ? { ...tool, schema: closeSchema(tool.schema) } : tool,
    ),
    responseFormat:
      request.responseFormat?.type === 'json_schema'
        ? { ...request.responseFormat, schema: closeSchema(request.responseFormat.schema) }
        : request.responseFormat,
  }),
  'reasoning in other words': (request, vendor) => ({
    ...request,
    reasoning: vendor === 'openai' ? effortAlone(request) : adaptive(request),
  }),
  'seed and penalties': (request) =>
    withSampling(request, { seed: undefined, frequencyPenalty: undefined, presencePenalty: undefined }),
  'top k': (request) => withSampling(request, { topK: undefined }),
  'temperature above one': (request) =>
    withSampling(request, { temperature: Math.min(1, request.sampling.temperature ?? 1) }),
  'temperature together with top p': (request) =>
    request.sampling.temperature === undefined ? request : withSampling(request, { topP: undefined }),
  'sampling while thinking': (request) =>
    request.reasoning?.thinking === 'adaptive'
      ? withSampling(request, { temperature: undefined, topP: undefined, topK: undefined })
      : request,
};

/** What is left of a request when the losses of the given kinds are taken out. */
export function withoutLosses(
  request: TurnRequest,
  { losses, vendor }: { losses: ReadonlySet<RequestLoss>; vendor: Vendor },
): TurnRequest {
  let left = request;
  for (const [what, remove] of Object.entries(removers)) {
    if (losses.has(what as RequestLoss)) left = remove(left, vendor);
  }
  return left;
}

function withTools(request: TurnRequest, keep: (tool: Tool) => boolean): TurnRequest {
  const tools = request.tools.filter(keep);
  const { toolChoice } = request;
  const has = (name: string) => tools.some((tool) => 'name' in tool && tool.name === name);
  if (toolChoice?.type === 'tool' && !has(toolChoice.name))
    return { ...request, tools, toolChoice: undefined };
  if (toolChoice?.type !== 'allowed') return { ...request, tools };
  const names = toolChoice.names.filter(has);
  return { ...request, tools, toolChoice: names.length === 0 ? undefined : { ...toolChoice, names } };
}

function withSampling(request: TurnRequest, changed: Sampling): TurnRequest {
  return { ...request, sampling: { ...request.sampling, ...changed } };
}

function withoutMarks(request: TurnRequest): TurnRequest {
  const unmarked = <Value extends object>(value: Value): Value => ({ ...value, cache: undefined });
  const shown = mapShown(request, unmarked);
  const said = mapAssistant(shown, (content) => content.map(unmarked));
  const results = mapUser(said, (block) => [unmarked(block)]);
  return {
    ...results,
    system: results.system.map(unmarked),
    messages: results.messages.map((message) =>
      message.role === 'system' ? { ...message, content: message.content.map(unmarked) } : message,
    ),
    tools: results.tools.map(unmarked),
  };
}

function withSchemaTerms(request: TurnRequest, vendor: Vendor): TurnRequest {
  const format = request.responseFormat;
  if (format?.type !== 'json_schema') return request;
  const responseFormat =
    vendor === 'openai'
      ? { ...format, name: format.name ?? 'answer', strict: format.strict && isStrictSchema(format.schema) }
      : { ...format, name: undefined, description: undefined, strict: true };
  return { ...request, responseFormat };
}

function effortAlone({ reasoning }: TurnRequest): TurnRequest['reasoning'] {
  if (reasoning?.effort === undefined || reasoning.thinking === 'off') return undefined;
  return { effort: reasoning.effort };
}

/** As a model with adaptive thinking is told. */
function adaptive({ reasoning, toolChoice, tools }: TurnRequest): TurnRequest['reasoning'] {
  if (reasoning === undefined) return undefined;
  const effort =
    reasoning.effort === 'minimal' ? 'low' : reasoning.effort === 'none' ? undefined : reasoning.effort;
  if (reasoning.thinking === 'off' || reasoning.effort === 'none') return { thinking: 'off', effort };
  const isForced =
    tools.length > 0 &&
    (toolChoice?.type === 'required' ||
      toolChoice?.type === 'tool' ||
      (toolChoice?.type === 'allowed' && toolChoice.required));
  if (!isForced) return { thinking: 'adaptive', effort };
  return effort === undefined ? undefined : { effort };
}
