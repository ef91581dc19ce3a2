/**
 * The way from any client protocol to any upstream protocol: equal ones pass their bytes through, others are joined
 * through the form between them.
 */
import { AppError } from '../../base/errors.ts';
import type { TokenUsage } from '../../base/token-usage.ts';
import { asObject, tryParseJson } from '../json/fields.ts';
import { readSpelledBelow } from '../json/spelling.ts';
import type { ClientProtocol, EventReader, UpstreamModel, UpstreamProtocol } from '../protocol.ts';
import type { InferenceRequest, Translator, WholeAnswer } from '../translator.ts';
import type { TurnAnswer } from '../turn/answer.ts';
import { refuse } from '../turn/refuse.ts';
import type { TurnRequest } from '../turn/request.ts';
import { allowsNone, choiceAmong, chosenTool } from '../turn/tools.ts';
import { ConvertedStream } from './converted-stream.ts';
import { CuttingReader, cutChoice } from './stop-cutter.ts';
import { withFittingToolNames } from './tool-names.ts';

/** Each is looked for in each piece of an answer, so that many or long ones would hold up everybody else. */
const mostCut = 64;
const mostCutCharacters = 1000;

/** Has no state: one translator serves all requests of its pair. */
export function translate(pair: ProtocolPair): Translator {
  const { client, upstream } = pair;
  if (client.name === upstream.name) return passOrConvert(pair);
  return convert({ client: withFittingToolNames(client, upstream), upstream });
}

function passOrConvert(pair: ProtocolPair): Translator {
  const { passthrough, mustConvert } = pair.upstream;
  if (passthrough === null) return convert(pair);
  if (mustConvert === undefined) return passthrough;
  const converting = convert(pair);
  const fitting = (request: InferenceRequest) => (mustConvert(request) ? converting : passthrough);
  return {
    writeRequest: (request, upstreamId, facts) => fitting(request).writeRequest(request, upstreamId, facts),
    readAnswer: (body, request) => fitting(request).readAnswer(body, request),
    openStream: (request) => fitting(request).openStream(request),
    readComplaint: passthrough.readComplaint,
  };
}

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
      return describeAnswer(read, client.writeAnswer(answer, request));
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

/** The id of an answer in the form that clients of the protocol know, whichever upstream gave it. */
export const idFor = ({ answerIdPrefix }: ClientProtocol, upstreamId: string): string =>
  answerIdPrefix === undefined ? upstreamId : ownAnswerId(upstreamId, answerIdPrefix);

function readTurn({ client, upstream }: ProtocolPair, request: InferenceRequest): TurnRequest {
  // Where the address says whether to stream, the body does not.
  const turn = { ...client.readRequest(request.json, request.text), stream: request.stream };
  const cut = cutHere(upstream, turn);
  if (cut.length > mostCut || cut.some(({ length }) => length > mostCutCharacters)) {
    throw refuse(
      `more than ${mostCut} stop sequences, or one of more than ${mostCutCharacters.toLocaleString('en')} characters`,
      'stop',
    );
  }
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
    const toolChoice = choiceAmong(turn.toolChoice, tools);
    const isWanted = allowsNone(toolChoice) || chosenTool(turn.tools, turn.toolChoice)?.kind === 'vendor';
    const isSpare = tools.length > 0 && tools.length < turn.tools.length && !isWanted;
    if (!(refusal instanceof AppError) || refusal.param !== 'tools' || !isSpare) throw refusal;
    return upstream.writeRequest({ ...turn, tools, toolChoice }, model);
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
  return upstream.stopSequences === undefined || !isAsked ? [] : cutHere(upstream, client.readRequest(json));
}

function cutHere(
  { stopSequences: taken }: UpstreamProtocol,
  { stopSequences, choices }: TurnRequest,
): readonly string[] {
  // What asks for several answers is refused where the upstream cannot stop them all.
  if (taken === undefined || choices !== undefined) return [];
  if (taken === 'not blank') return stopSequences.filter((sequence) => sequence.trim() === '');
  return stopSequences.length > (typeof taken === 'number' ? taken : 0) ? stopSequences : [];
}

/** @param read all of it: what was cut off is paid for too. */
function describeAnswer(read: TurnAnswer, body: string): WholeAnswer {
  const usage: TokenUsage | null = read.usage;
  return {
    body,
    usage,
    generated: usage === null ? generatedIn(read) : '',
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

/** What upstreams write in front of an answer's id, which would say the wrong thing behind another. */
const knownPrefix = /^(?:chatcmpl|cmpl|msg|resp|gen)[-_]/;
/** Ollama draws the ids of chat completions from below a thousand (middleware, 2026-11), so that many answers have the same. */
const drawn = /^chatcmpl-\d{1,3}$/;
/** Official clients and their databases expect short ids. */
const maxIdLength = 48;

/**
 * The same upstream's id gives the same id each time, whole and streamed, unless it is none that tells answers apart.
 * @param prefix as the client's protocol writes it, such as `msg_`.
 */
export function ownAnswerId(upstreamId: string, prefix: string): string {
  if (upstreamId.startsWith(prefix)) return upstreamId;
  const told = upstreamId
    .slice(0, 256)
    .replace(knownPrefix, '')
    .replaceAll(/[^\w-]/g, '_')
    .slice(-maxIdLength);
  if (told === '') return prefix + chance();
  return prefix + (drawn.test(upstreamId) ? `${told}_${chance()}` : told);
}

const chance = (): string => crypto.randomUUID().replaceAll('-', '');
