/** What a tool is given keeps how its numbers are spelled, whichever two protocols it goes between. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { FrameSplitter } from '../../base/sse.ts';
import { chatClient, chatUpstream } from '../chat-completions/protocol.ts';
import { readChatRequest } from '../chat-completions/request.ts';
import { converseUpstream } from '../converse/protocol.ts';
import { ConverseEventWriter, writeConverseAnswer } from '../converse/testing/write-answer.ts';
import { googleClient, googleUpstream } from '../google/protocol.ts';
import { readGoogleRequest } from '../google/request.ts';
import { messagesClient, messagesUpstream } from '../messages/protocol.ts';
import { readMessagesRequest } from '../messages/request.ts';
import type { ClientProtocol, UpstreamProtocol } from '../protocol.ts';
import { responsesClient, responsesUpstream } from '../responses/protocol.ts';
import { readResponsesRequest } from '../responses/request.ts';
import type { InferenceRequest } from '../translator.ts';
import type { TurnAnswer } from '../turn/answer.ts';
import type { EventWriter, TurnEvent } from '../turn/events.ts';
import type { TurnRequest } from '../turn/request.ts';
import { readPieces } from '../turn/testing/answer-laws.ts';
import { eventsOf } from '../turn/testing/arbitrary-answer.ts';
import { collectAnswer } from '../turn/testing/collect-answer.ts';
import { translate } from './translate.ts';

const number = fc.constantFrom(
  ...['1.0', '1e3', '-0', '9007199254740993', '12345678901234567890', '0.10', '-1.50', '1E-7', '0.00000001'],
  ...['1.7976931348623157e+308', '0', '2', '-3.25'],
);
const word = fc.stringMatching(/^[a-z]{1,6}$/);
const values: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 4, arbitrary: number },
    { weight: 1, arbitrary: fc.constantFrom('true', 'null', '"1.0, 2"', '"[1e3]"') },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 3 }).map((all) => `[${all.join(',')}]`) },
    { weight: 1, arbitrary: objectOf(tie('value')) },
  ),
})).value;

function objectOf(value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .uniqueArray(fc.tuple(word, value), { minLength: 1, maxLength: 4, selector: ([name]) => name })
    .map((members) => `{${members.map(([name, text]) => `"${name}":${text}`).join(',')}}`);
}

const given = objectOf(values);

const turnWith = (input: string): TurnRequest => ({
  system: [],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Set the gates.' }] },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'set', input }] },
    { role: 'user', content: [{ type: 'tool_result', toolUseId: 'call_1', content: [], isError: false }] },
  ],
  tools: [{ kind: 'function', name: 'set', schema: { type: 'object', properties: {} } }],
  parallelToolUse: true,
  stopSequences: [],
  sampling: { temperature: 1 },
  stream: false,
  vendor: {},
});

const answerWith = (input: string): TurnAnswer => ({
  id: 'a1',
  model: 'm',
  createdS: 5,
  choices: [
    { content: [{ type: 'tool_use', id: 'call_1', name: 'set', input }], stop: { reason: 'tool_use' } },
  ],
  usage: null,
});

interface Side {
  readonly upstream: UpstreamProtocol;
  /** Writes what the upstream sends. */
  readonly client: Pick<ClientProtocol, 'writeAnswer' | 'openWriter'>;
}

interface Asking {
  readonly client: ClientProtocol;
  /** Writes what the client sends, and reads what the client is sent. */
  readonly upstream: UpstreamProtocol;
  read(text: string): InferenceRequest;
}

const clients: readonly Asking[] = [
  { client: chatClient(), upstream: chatUpstream(), read: readChatRequest },
  { client: messagesClient, upstream: messagesUpstream, read: readMessagesRequest },
  { client: responsesClient(), upstream: responsesUpstream, read: readResponsesRequest },
  {
    client: googleClient,
    upstream: googleUpstream,
    read: (text) => readGoogleRequest(text, { model: 'm', stream: true }),
  },
];
const sides: readonly Side[] = [
  ...clients,
  {
    upstream: converseUpstream(),
    client: { writeAnswer: writeConverseAnswer, openWriter: (): EventWriter => new ConverseEventWriter() },
  },
];
const pairs = clients.flatMap((asking) =>
  sides.map((side) => [asking.client.name, side.upstream.name, { asking, side }] as const),
);

/** As it is, or inside a string. */
const holds = (body: string, input: string): boolean =>
  body.includes(input) || body.includes(JSON.stringify(input).slice(1, -1));

const writtenBy = (client: Side['client'], input: string, request: InferenceRequest): Buffer => {
  const writer = client.openWriter(request);
  const plain = { maxPiece: 99, interleaved: false, counts: 'last' } as const;
  return Buffer.from(
    eventsOf(answerWith(input), plain)
      .map((event) => writer.write(event))
      .join(''),
  );
};

describe.each(pairs)('%s over %s', (_client, _upstream, { asking, side }) => {
  const translator = translate({ client: asking.client, upstream: side.upstream });
  const model = 'gemini-3-flash';
  const requestWith = (input: string): InferenceRequest => {
    const text = asking.upstream.writeRequest(turnWith(input), { id: 'm', maxOutputTokens: 99 });
    return asking.read(text.replace('"temperature":1', '"temperature":1.0'));
  };

  test('a call is replayed as it was spelled', () => {
    fc.assert(
      fc.property(given, (input) => {
        const request = requestWith(input);
        expect(holds(request.text, input)).toBe(true);
        const written = translator.writeRequest(request, model);
        expect(holds(written, input)).toBe(true);
        expect(() => JSON.parse(written)).not.toThrow();
        expect(written).not.toContain('rawJSON');
      }),
      { numRuns: 60 },
    );
  });

  test('a call in a whole answer is as the model spelled it', () => {
    const request = requestWith('{}');
    fc.assert(
      fc.property(given, (input) => {
        const body = side.client.writeAnswer(answerWith(input), request);
        expect(holds(body, input)).toBe(true);
        expect(holds(translator.readAnswer(body, request).body, input)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test('a call in a stream is as the model spelled it', () => {
    const request = requestWith('{}');
    fc.assert(
      fc.property(given, (input) => {
        const stream = translator.openStream(request);
        const out = Buffer.concat([
          stream.push(Buffer.from(new FrameSplitter(1_000_000).push(writtenBy(side.client, input, request)))),
          stream.end(),
        ]);
        const reader = asking.upstream.openReader();
        const events: TurnEvent[] = readPieces(reader, [out]);
        reader.finish(events);
        expect(collectAnswer(events).choices[0]?.content).toMatchObject([{ type: 'tool_use', input }]);
      }),
      { numRuns: 60 },
    );
  });
});
