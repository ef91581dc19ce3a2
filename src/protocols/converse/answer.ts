/** Reads whole answers of the Converse API into the turn. */

import { asFilledText, asObject, asObjects, asText, isJsonObject, type JsonObject } from '../json/fields.ts';
import { ComplaintError, UnreadableAnswerError } from '../translator.ts';
import type { TurnAnswer } from '../turn/answer.ts';
import type { AssistantBlock } from '../turn/blocks.ts';
import { type Signature, unpackSignature, unpackToolSignature } from '../turn/signature.ts';
import { TextGaps } from '../turn/text-gaps.ts';
import { readCitation } from './citations.ts';
import { converseComplaintIn, failedStopIn } from './errors.ts';
import { readConverseStop, readConverseUsage } from './outcome.ts';

/**
 * The API itself tells neither id nor model in its answer; they are there when the provider has put them in.
 * @throws UnreadableAnswerError, ComplaintError
 */
export function readConverseAnswer(json: unknown): TurnAnswer {
  if (!isJsonObject(json)) throw new UnreadableAnswerError('the answer is not a JSON object');
  const message = asObject(asObject(json['output'])?.['message']);
  const complaint = message === undefined ? converseComplaintIn(json) : failedStopIn(json);
  if (complaint !== null) throw new ComplaintError(complaint);
  if (!Array.isArray(message?.['content'])) throw new UnreadableAnswerError('the answer has no content');
  return {
    id: asText(json['id']) ?? '',
    model: asText(json['model']) ?? '',
    choices: [{ content: readContent(message['content']), stop: readConverseStop(json) }],
    usage: readConverseUsage(json['usage']),
  };
}

function readContent(content: unknown): readonly AssistantBlock[] {
  const signatureOfTool = new Map<string, Signature>();
  const gaps = new TextGaps();
  return asObjects(content).flatMap((block) => {
    if (isTrace(block)) gaps.passOver();
    const read = readBlock(block, signatureOfTool);
    return read === undefined ? [] : [gaps.keepApart(read)];
  });
}

/** Of a tool that the vendor ran, or of its making: nothing of it is passed on. @param from a block, or how it starts. */
export function isTrace(from: JsonObject): boolean {
  const isServers = asObject(from['toolUse'])?.['type'] === 'server_tool_use';
  return isServers || from['toolResult'] !== undefined || from['image'] !== undefined;
}

/** Undefined for traces of tools that the vendor ran, and for what belongs to a later block. */
function readBlock(block: JsonObject, signatureOfTool: Map<string, Signature>): AssistantBlock | undefined {
  const toolUse = asObject(block['toolUse']);
  if (toolUse !== undefined) return readToolUse(toolUse, signatureOfTool);
  const reasoning = asObject(block['reasoningContent']);
  if (reasoning !== undefined) return readReasoning(reasoning, signatureOfTool);
  const cited = asObject(block['citationsContent']);
  const text = asFilledText(block['text']) ?? readCited(cited);
  if (text === '') return undefined;
  const citations = asObjects(cited?.['citations']).flatMap((citation) => readCitation(citation) ?? []);
  return citations.length === 0 ? { type: 'text', text } : { type: 'text', text, citations };
}

function readCited(cited: JsonObject | undefined): string {
  return asObjects(cited?.['content'])
    .map((part) => asText(part['text']) ?? '')
    .join('');
}

function readReasoning(
  reasoning: JsonObject,
  signatureOfTool: Map<string, Signature>,
): AssistantBlock | undefined {
  const redacted = asFilledText(reasoning['redactedContent']);
  if (redacted !== undefined) {
    const ofTool = unpackToolSignature(redacted);
    if (ofTool === null)
      return { type: 'redacted_thinking', signature: unpackSignature(redacted, 'anthropic') };
    signatureOfTool.set(ofTool.toolId, ofTool.signature);
    return undefined;
  }
  const shown = asObject(reasoning['reasoningText']);
  const text = asText(shown?.['text']) ?? '';
  const signature = asFilledText(shown?.['signature']);
  if (signature !== undefined)
    return { type: 'thinking', text, signature: unpackSignature(signature, 'anthropic') };
  return text === '' ? undefined : { type: 'thinking', text };
}

function readToolUse(
  toolUse: JsonObject,
  signatureOfTool: ReadonlyMap<string, Signature>,
): AssistantBlock | undefined {
  if (toolUse['type'] === 'server_tool_use') return undefined;
  const id = asText(toolUse['toolUseId']) ?? '';
  return {
    type: 'tool_use',
    id,
    name: asText(toolUse['name']) ?? '',
    input: readInput(toolUse['input']),
    signature: signatureOfTool.get(id),
  };
}

function readInput(input: unknown): string {
  const text = input === undefined || input === null ? '' : JSON.stringify(input);
  return text === '{}' ? '' : text;
}
