/**
 * `reasoning_details`: how hosts of chat completions that relay signed thinking show it. Not of the protocol itself;
 * clients that send messages back as they came bring the signatures back with it.
 */
import { asFilledText, asObject, asObjects, asText, type JsonObject } from '../json/fields.ts';
import type { AssistantBlock, RedactedThinkingBlock, ThinkingBlock } from '../turn/blocks.ts';
import type { Signature, SignatureOrigin } from '../turn/signature.ts';

const formats = {
  anthropic: 'anthropic-claude-v1',
  openai: 'openai-responses-v1',
  google: 'google-gemini-v1',
} as const satisfies Record<SignatureOrigin, string>;

export interface ReasoningDetails {
  readonly thinking: readonly (ThinkingBlock | RedactedThinkingBlock)[];
  readonly signatureOfTool: ReadonlyMap<string, Signature>;
}

const none: ReasoningDetails = { thinking: [], signatureOfTool: new Map() };

/** @param callIds of the message: what is encrypted under one of them belongs to that call, any other to the thinking. */
export function readReasoningDetails(value: unknown, callIds: ReadonlySet<string>): ReasoningDetails {
  const details = withoutRepetition(asObjects(value));
  if (details.length === 0) return none;
  const thinking: (ThinkingBlock | RedactedThinkingBlock)[] = [];
  const signatureOfTool = new Map<string, Signature>();
  for (const detail of details) {
    const encrypted = readEncrypted(detail);
    if (encrypted?.id !== undefined && callIds.has(encrypted.id))
      signatureOfTool.set(encrypted.id, encrypted.signature);
    else if (encrypted !== undefined)
      thinking.push({ type: 'redacted_thinking', signature: encrypted.signature });
    else {
      const text = readDetailText(detail);
      const signature = readDetailSignature(detail);
      if (text !== '' || signature !== undefined) thinking.push({ type: 'thinking', text, signature });
    }
  }
  return { thinking, signatureOfTool };
}

/** Clients that put together all lists of a stream of this gateway can have each detail twice (`write-stream.ts`). */
function withoutRepetition(details: readonly JsonObject[]): readonly JsonObject[] {
  const half = details.length / 2;
  if (half < 2 || !Number.isInteger(half)) return details;
  const first = details.slice(0, half);
  const isSigned = first.some((detail) => readEncrypted(detail) ?? readDetailSignature(detail));
  const isAgain = first.every((detail, at) => spelled(detail) === spelled(details[half + at] ?? {}));
  return isSigned && isAgain ? first : details;
}

const spelled = ({ index: _index, ...detail }: JsonObject): string => JSON.stringify(detail);

export function readDetailText(detail: JsonObject): string {
  return asText(detail['text']) ?? asText(detail['summary']) ?? '';
}

export function readEncrypted(
  detail: JsonObject,
): { signature: Signature; id: string | undefined } | undefined {
  const origin = readFormat(detail['format']);
  const value = asFilledText(detail['data']);
  if (detail['type'] !== 'reasoning.encrypted' || origin === undefined || value === undefined)
    return undefined;
  return { signature: { origin, value }, id: asFilledText(detail['id']) };
}

export function readDetailSignature(detail: JsonObject): Signature | undefined {
  const origin = readFormat(detail['format']);
  const value = asFilledText(detail['signature']);
  return origin === undefined || value === undefined ? undefined : { origin, value };
}

function readFormat(format: unknown): SignatureOrigin | undefined {
  if (format === formats.anthropic) return 'anthropic';
  if (format === formats.openai) return 'openai';
  return format === formats.google ? 'google' : undefined;
}

/** Where Google's own host of this protocol has the signature of a call, and its clients bring it back. */
export function readCallSignature(call: JsonObject): Signature | undefined {
  const google = asObject(asObject(call['extra_content'])?.['google']);
  const value = asFilledText(google?.['thought_signature']);
  return value === undefined ? undefined : { origin: 'google', value };
}

export function writeCallSignature(signature: Signature | undefined): JsonObject | undefined {
  return signature?.origin === 'google' ? { google: { thought_signature: signature.value } } : undefined;
}

/**
 * Undefined when nothing is signed, so that `reasoning_content` says it all.
 * @param first the index of the first, behind those that were told before.
 */
export function writeReasoningDetails(
  content: readonly AssistantBlock[],
  first = 0,
): readonly JsonObject[] | undefined {
  const details: JsonObject[] = [];
  let isSigned = false;
  for (const block of content) {
    const detail = writeDetail(block, first + details.length);
    if (detail === undefined) continue;
    details.push(detail);
    isSigned ||= block.type !== 'thinking' || block.signature !== undefined;
  }
  return isSigned ? details : undefined;
}

function writeDetail(block: AssistantBlock, index: number): JsonObject | undefined {
  if (block.type === 'thinking') {
    const { text, signature } = block;
    const format = signature === undefined ? undefined : formats[signature.origin];
    return { type: 'reasoning.text', text, signature: signature?.value, format, index };
  }
  if (block.type !== 'redacted_thinking' && block.type !== 'tool_use') return undefined;
  const { signature } = block;
  if (signature === undefined) return undefined;
  const id = block.type === 'tool_use' ? block.id : undefined;
  return { type: 'reasoning.encrypted', data: signature.value, format: formats[signature.origin], id, index };
}
