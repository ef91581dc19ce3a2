/** Joins two protocols through the form between them. */
import { AppError } from '../../base/errors.ts';
import type { TokenUsage } from '../../base/token-usage.ts';
import { asObject, tryParseJson } from '../json/fields.ts';
import { readSpelledBelow } from '../json/spelling.ts';
import type { ClientProtocol, EventReader, UpstreamModel, UpstreamProtocol } from '../protocol.ts';
import type { InferenceRequest, Translator, WholeAnswer } from '../translator.ts';
import type { TurnAnswer } from '../turn/answer.ts';
import { ownAnswerId } from '../turn/answer-id.ts';
import type { TurnRequest } from '../turn/request.ts';
import { ConvertedStream } from './converted-stream.ts';
import { CuttingReader, cutChoice } from './stop-cutter.ts';

export interface ProtocolPair {
  readonly client: ClientProtocol;
  readonly upstream: UpstreamProtocol;
}

/** Works for equal protocols too, where it loses what the form does not hold; `translate` lets those pass instead. */
export function convert(pair: ProtocolPair): Translator {
  const { client, upstream } = pair;
  return {
    writeRequest: (request, upstreamId, facts) =>
      writeTurn(upstream, readTurn(pair, request), { ...facts, id: upstreamId }),
    readAnswer: (body, request) => {
      const json = readSpelledBelow(body, upstream.argumentMembers) ?? tryParseJson(body);
      const read = upstream.readAnswer(json);
      const answer = cutAnswer({ ...read, id: idFor(client, read.id) }, pair, request);
      return describeAnswer(answer, client.writeAnswer(answer, request));
    },
    openStream: (request) =>
      new ConvertedStream({
        reader: openReader(pair, request),
        writer: client.openWriter(request),
        writeId: (id) => idFor(client, id),
      }),
    readComplaint: (body) => upstream.readComplaint(body),
  };
}

export const idFor = ({ answerIdPrefix }: ClientProtocol, upstreamId: string): string =>
  answerIdPrefix === undefined ? upstreamId : ownAnswerId(upstreamId, answerIdPrefix);

function readTurn({ client, upstream }: ProtocolPair, request: InferenceRequest): TurnRequest {
  // Where the address says whether to stream, the body does not.
  const turn = { ...client.readRequest(request.json, request.text), stream: request.stream };
  return upstream.stopSequences === 'none' ? { ...turn, stopSequences: [] } : turn;
}

/**
 * Agents declare the tools that their own vendor runs beside those that they run themselves. An upstream without them
 * is asked without them, unless nothing else is there or they are what is to be used.
 */
function writeTurn(upstream: UpstreamProtocol, turn: TurnRequest, model: UpstreamModel): string {
  try {
    return upstream.writeRequest(turn, model);
  } catch (refusal) {
    const tools = turn.tools.filter(({ kind }) => kind !== 'vendor');
    const isSpare = tools.length > 0 && tools.length < turn.tools.length;
    if (!(refusal instanceof AppError) || refusal.param !== 'tools' || !isSpare) throw refusal;
    return upstream.writeRequest({ ...turn, tools }, model);
  }
}

function cutAnswer(answer: TurnAnswer, pair: ProtocolPair, request: InferenceRequest): TurnAnswer {
  const sequences = sequencesToCut(pair, request);
  if (sequences.length === 0) return answer;
  return { ...answer, choices: answer.choices.map((choice) => cutChoice(choice, sequences)) };
}

export function openReader(pair: ProtocolPair, request: InferenceRequest): EventReader {
  const reader = pair.upstream.openReader();
  const sequences = sequencesToCut(pair, request);
  return sequences.length === 0 ? reader : new CuttingReader(reader, sequences);
}

/** Read again from the request, since few requests ask for it. What the upstream has stopped at is no longer there. */
function sequencesToCut({ client, upstream }: ProtocolPair, { json }: InferenceRequest): readonly string[] {
  const isAsked =
    json['stop'] != null ||
    json['stop_sequences'] != null ||
    asObject(json['generationConfig'])?.['stopSequences'] != null;
  if (upstream.stopSequences === undefined || !isAsked) return [];
  const { stopSequences, choices } = client.readRequest(json);
  const surelyTaken = typeof upstream.stopSequences === 'number' ? upstream.stopSequences : 0;
  // What asks for several answers is refused where the upstream cannot stop them all.
  return choices === undefined && stopSequences.length > surelyTaken ? stopSequences : [];
}

function describeAnswer(answer: TurnAnswer, body: string): WholeAnswer {
  const usage: TokenUsage | null = answer.usage;
  return {
    body,
    usage,
    generated: usage === null ? generatedIn(answer) : '',
  };
}

function generatedIn(answer: TurnAnswer): string {
  let text = '';
  for (const { content } of answer.choices) {
    for (const block of content) {
      if (block.type === 'tool_use') text += block.name + block.input;
      else if (block.type !== 'redacted_thinking') text += block.text;
    }
  }
  return text;
}
