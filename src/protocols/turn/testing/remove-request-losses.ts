/** Takes declared losses out of a request. One entry for each loss there is, in the order in which they apply. */
import type { AssistantBlock, ToolResultBlock, ToolUseBlock } from '../blocks.ts';
import { closeSchema } from '../closed-schema.ts';
import { withFunctionsOnly } from '../free-text/as-function.ts';
import type { Message, TurnRequest } from '../request.ts';
import { withJsonInWords } from '../schema.ts';
import type { DeclaredLosses, RequestLoss } from './losses.ts';
import { withoutMarks, withSampling, withSchemaTerms, withTools } from './narrow-request.ts';
import { reasoningAs } from './reasoning-as.ts';
import {
  inOrder,
  isMedia,
  joinNeighbours,
  joinThoughts,
  joinUnsigned,
  mapAssistant,
  mapShown,
  mapUser,
  refusalsAsText,
  wholeArguments,
  withMessages,
} from './remove-block-losses.ts';
import {
  withMarksBehindResults,
  withNumberedDocuments,
  withoutBlankText,
  withToolsInUse,
  withWordsBesideDocuments,
} from './remove-converse-losses.ts';

type Vendor = DeclaredLosses['vendor'];
type Remove = (request: TurnRequest, vendor: Vendor) => TurnRequest;

const removers: Readonly<Record<RequestLoss, Remove>> = {
  // Before others leave instructions at the head, which stand behind the sentence.
  'JSON that nobody speaks of': withJsonInWords,
  'free-text tools': withFunctionsOnly,
  'instructions in the middle': (request) =>
    withMessages(
      request,
      request.messages.filter(({ role }) => role !== 'system'),
    ),
  audio: (request) => mapShown(request, (block) => (block.type === 'audio' ? null : block)),
  'image detail': (request) =>
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
      block.type === 'document' && block.source.kind === 'base64'
        ? { ...block, title: block.title ?? 'file' }
        : block,
    ),
  'files of other vendors': (request, vendor) =>
    mapShown(request, (block) =>
      isMedia(block) && block.source.kind === 'file' && block.source.vendor !== vendor ? null : block,
    ),
  'images by file id': (request) =>
    mapShown(request, (block) => (block.type === 'image' && block.source.kind === 'file' ? null : block)),
  'files by id': (request) =>
    mapShown(request, (block) => (isMedia(block) && block.source.kind === 'file' ? null : block)),
  'images by URL': (request) =>
    mapShown(request, (block) => (block.type === 'image' && block.source.kind === 'url' ? null : block)),
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
  'blank text': withoutBlankText,
  'cache marks in tool results': withMarksBehindResults,
  'names of documents': withNumberedDocuments,
  'documents without words beside them': withWordsBesideDocuments,
  'signatures of other vendors': (request, vendor) =>
    mapAssistant(request, (content) =>
      content.flatMap((block): readonly AssistantBlock[] => {
        if (block.type === 'tool_use')
          return [isSigned(block, vendor) ? block : { ...block, signature: undefined }];
        if (block.type !== 'thinking' && block.type !== 'redacted_thinking') return [block];
        return block.signature === undefined || block.signature.origin === vendor ? [block] : [];
      }),
    ),
  'unsigned thinking': (request) =>
    mapAssistant(request, (content) =>
      content.filter((block) => block.type !== 'thinking' || block.signature !== undefined),
    ),
  'vendor tools': (request) => withTools(request, (tool) => tool.kind !== 'vendor'),
  'some of the tools': (request) => {
    const { toolChoice } = request;
    if (toolChoice?.type !== 'allowed') return request;
    const narrowed = withTools(request, (tool) => 'name' in tool && toolChoice.names.includes(tool.name));
    return { ...narrowed, toolChoice: toolChoice.required ? { type: 'required' } : undefined };
  },
  'tools that are no longer offered': withToolsInUse,
  'tool choice without tools': (request) =>
    request.tools.length === 0 ? { ...request, toolChoice: undefined, parallelToolUse: true } : request,
  'parallel use without a choice': (request) =>
    request.toolChoice?.type === 'none' ? { ...request, parallelToolUse: true } : request,
  'blocks in another order': (request) => mapAssistant(request, inOrder),
  'neighbouring texts': (request) => mapAssistant(request, joinNeighbours),
  'thinking in pieces': (request, vendor) =>
    mapAssistant(request, (content) => joinThoughts(content, vendor)),
  'unsigned thinking in pieces': (request) => mapAssistant(request, joinUnsigned),
  'cache marks': withoutMarks,
  'a conversation without messages': (request) =>
    request.messages.some(({ role }) => role === 'user')
      ? request
      : withMessages(request, [
          ...request.messages,
          { role: 'user', content: [{ type: 'text', text: 'hello' }] },
        ]),
  'a conversation that the assistant begins': withUserFirst,
  'a conversation that the assistant ends': withUserLast,
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
  logprobs: (request) => ({ ...request, logprobs: undefined }),
  'several choices': (request) => ({ ...request, choices: undefined }),
  'name and strictness of a schema': withSchemaTerms,
  'strictness of a schema': (request) =>
    request.responseFormat?.type === 'json_schema'
      ? { ...request, responseFormat: { ...request.responseFormat, strict: true } }
      : request,
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
    reasoning: reasoningAs[vendor](request),
  }),
  'seed and penalties': (request) =>
    withSampling(request, { seed: undefined, frequencyPenalty: undefined, presencePenalty: undefined }),
  'small output bounds': (request) =>
    request.maxOutputTokens === undefined
      ? request
      : { ...request, maxOutputTokens: Math.max(16, request.maxOutputTokens) },
  'stop sequences': (request) => ({ ...request, stopSequences: [] }),
  'storing that nobody spoke of': (request) => ({
    ...request,
    vendor: {
      ...request.vendor,
      openai: { ...request.vendor.openai, store: request.vendor.openai?.['store'] ?? false },
    },
  }),
  'strictness of tools that nobody set': (request) => ({
    ...request,
    tools: request.tools.map((tool) =>
      tool.kind === 'function' ? { ...tool, strict: tool.strict ?? false } : tool,
    ),
  }),
  'top k': (request) => withSampling(request, { topK: undefined }),
  'temperature above one': (request) =>
    withSampling(request, { temperature: Math.min(1, request.sampling.temperature ?? 1) }),
  'temperature together with top p': (request) =>
    request.sampling.temperature === undefined ? request : withSampling(request, { topP: undefined }),
  'sampling while thinking': (request) =>
    request.reasoning?.thinking === 'adaptive'
      ? withSampling(request, { temperature: undefined, topP: undefined, topK: undefined })
      : request,
  'titles of documents by URL or id': (request) =>
    mapShown(request, (block) =>
      block.type === 'document' && (block.source.kind === 'url' || block.source.kind === 'file')
        ? { ...block, title: undefined }
        : block,
    ),
  'titles of documents': (request) =>
    mapShown(request, (block) => (block.type === 'document' ? { ...block, title: undefined } : block)),
  'pieces of tool results': (request) =>
    mapUser(request, (block) => [block.type === 'tool_result' ? inOnePiece(block) : block]),
  'a choice of one allowed tool': (request) => {
    const { toolChoice } = request;
    if (toolChoice?.type !== 'allowed' || !toolChoice.required) return request;
    const [name, ...others] = toolChoice.names;
    return name === undefined || others.length > 0
      ? request
      : { ...request, toolChoice: { type: 'tool', name } };
  },
  'one tool at a time': (request) => ({ ...request, parallelToolUse: true }),
  'strictness of tools': (request) => ({
    ...request,
    tools: request.tools.map((tool) => (tool.kind === 'function' ? { ...tool, strict: undefined } : tool)),
  }),
  penalties: (request) => withSampling(request, { frequencyPenalty: undefined, presencePenalty: undefined }),
  'the wish to stream': (request) => ({ ...request, stream: false }),
  'user ids': (request) => ({ ...request, userId: undefined }),
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

function withUserFirst(request: TurnRequest, vendor: Vendor): TurnRequest {
  const first = request.messages.find((message) => isSent(message, vendor));
  return first?.role === 'assistant'
    ? withMessages(request, [userSaying('hello'), ...request.messages])
    : request;
}

function withUserLast(request: TurnRequest, vendor: Vendor): TurnRequest {
  const last = request.messages.findLast((message) => isSent(message, vendor));
  if (last?.role !== 'assistant' || last.content.some(({ type }) => type === 'tool_use')) return request;
  return withMessages(request, [...request.messages, userSaying('go on')]);
}

/** Thinking that the vendor did not sign is not sent, so that it begins and ends nothing. */
function isSent({ role, content }: Message, vendor: Vendor): boolean {
  if (role !== 'assistant') return role === 'user';
  return content.some(
    (block) =>
      (block.type !== 'thinking' && block.type !== 'redacted_thinking') || block.signature?.origin === vendor,
  );
}

const userSaying = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });

/** Only Gemini signs tool uses. */
function isSigned({ signature }: ToolUseBlock, vendor: Vendor): boolean {
  return vendor === 'google' && signature?.origin === vendor;
}

function inOnePiece(result: ToolResultBlock): ToolResultBlock {
  const texts = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const text = texts.join('\n');
  const others = result.content.filter(({ type }) => type !== 'text');
  return { ...result, content: text === '' ? others : [{ type: 'text', text }, ...others] };
}
