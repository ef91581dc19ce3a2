/** Joins two protocols through the form between them. */
import type { TokenUsage } from '../base/token-usage.ts';
import { ConvertedStream } from './converted-stream.ts';
import type { InferenceRequest, Translator, WholeAnswer } from './exchange.ts';
import { tryParseJson } from './json-body.ts';
import type { ClientProtocol, UpstreamProtocol } from './protocol.ts';
import type { TurnAnswer } from './turn/answer.ts';

export interface ProtocolPair {
  readonly client: ClientProtocol;
  readonly upstream: UpstreamProtocol;
}

/** Works for equal protocols too, where it loses what the form does not hold; `translate` lets those pass instead. */
export function convert({ client, upstream }: ProtocolPair): Translator {
  return {
    writeRequest: (request, upstreamId, facts) =>
      upstream.writeRequest(client.readRequest(request.json), { ...facts, id: upstreamId }),
    readAnswer: (body) => convertAnswer(upstream.readAnswer(tryParseJson(body)), client),
    openStream: (request: InferenceRequest) =>
      new ConvertedStream({ reader: upstream.openReader(), writer: client.openWriter(request) }),
    readComplaint: (body) => upstream.readComplaint(body),
  };
}

function convertAnswer(answer: TurnAnswer, client: ClientProtocol): WholeAnswer {
  const usage: TokenUsage | null = answer.usage;
  return {
    body: client.writeAnswer(answer),
    usage,
    generatedCharacters: usage === null ? countGenerated(answer) : 0,
  };
}

function countGenerated(answer: TurnAnswer): number {
  let characters = 0;
  for (const { content } of answer.choices) {
    for (const block of content) {
      if (block.type === 'tool_use') characters += block.input.length;
      else if (block.type !== 'redacted_thinking') characters += block.text.length;
    }
  }
  return characters;
}
