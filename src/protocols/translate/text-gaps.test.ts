import { describe, expect, test } from 'bun:test';
import { chatClient } from '../chat-completions/protocol.ts';
import { converseFrame } from '../converse/frame.ts';
import { converseUpstream } from '../converse/protocol.ts';
import { googleUpstream } from '../google/protocol.ts';
import { asObject, asObjects, type JsonObject } from '../json/fields.ts';
import { messagesUpstream } from '../messages/protocol.ts';
import type { ClientProtocol, UpstreamProtocol } from '../protocol.ts';
import { responsesClient } from '../responses/protocol.ts';
import {
  blockDelta,
  blockStart,
  blockStop,
  messageDelta,
  messageStart,
  messageStop,
  messagesFrames,
} from '../testing/frames.ts';
import type { InferenceRequest } from '../translator.ts';
import { convert } from './translate.ts';

const request: InferenceRequest = { text: '{}', json: {}, model: 'm', stream: true, wantsStreamUsage: false };

/** What a model says, and `null` where its vendor ran a tool. */
type Said = readonly (string | null)[];

interface Vendor {
  readonly upstream: UpstreamProtocol;
  whole(said: Said): object;
  stream(said: Said): string;
}

const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'x' } };
const citation = { type: 'web_search_result_location', url: 'https://x.test', title: 'X', cited_text: '' };
const serverTool = { toolUse: { toolUseId: 't', name: 'nova_grounding', type: 'server_tool_use' } };
const code = { executableCode: { language: 'PYTHON', code: '1' } };

const candidate = (parts: readonly object[], finish?: string) => ({
  candidates: [{ content: { parts, role: 'model' }, index: 0, finishReason: finish }],
  modelVersion: 'm',
  responseId: 'r',
});

const vendors: Readonly<Record<string, Vendor>> = {
  Claude: {
    upstream: messagesUpstream,
    whole: (said) => ({
      id: 'msg_1',
      model: 'm',
      content: said.map((text) => (text === null ? search : { type: 'text', text, citations: [citation] })),
      stop_reason: 'end_turn',
    }),
    stream: (said) =>
      messagesFrames(
        messageStart(),
        ...said.flatMap((text, at) => [
          blockStart(at, text === null ? search : { type: 'text', text: '' }),
          ...(text === null ? [] : [blockDelta(at, { type: 'citations_delta', citation })]),
          ...[...(text ?? '')].map((piece) => blockDelta(at, { type: 'text_delta', text: piece })),
          blockStop(at),
        ]),
        ...[messageDelta('end_turn', {}), messageStop],
      ),
  },
  Converse: {
    upstream: converseUpstream(),
    whole: (said) => ({
      output: { message: { content: said.map((text) => (text === null ? serverTool : { text })) } },
      stopReason: 'end_turn',
    }),
    stream: (said) =>
      [
        converseFrame('messageStart', '{"role":"assistant"}'),
        ...said.flatMap((text, contentBlockIndex) => [
          text === null
            ? converseFrame('contentBlockStart', JSON.stringify({ contentBlockIndex, start: serverTool }))
            : converseFrame('contentBlockDelta', JSON.stringify({ contentBlockIndex, delta: { text } })),
          converseFrame('contentBlockStop', JSON.stringify({ contentBlockIndex })),
        ]),
        converseFrame('messageStop', '{"stopReason":"end_turn"}'),
      ].join(''),
  },
  Gemini: {
    upstream: googleUpstream,
    whole: (said) =>
      candidate(
        said.map((text) => (text === null ? code : { text })),
        'STOP',
      ),
    stream: (said) =>
      [...said.map((text) => candidate([text === null ? code : { text }])), candidate([], 'STOP')]
        .map((piece) => `data: ${JSON.stringify(piece)}\n\n`)
        .join(''),
  },
};

function heard(client: ClientProtocol, { upstream, whole, stream }: Vendor, said: Said) {
  const translator = convert({ client, upstream });
  const { body } = translator.readAnswer(JSON.stringify(whole(said)), request);
  const opened = translator.openStream(request);
  const out = Buffer.concat([opened.push(Buffer.from(stream(said))), opened.end()]).toString();
  const frames = [...out.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']): JsonObject => JSON.parse(data));
  return { answer: JSON.parse(body), frames };
}

function inChat(vendor: Vendor, said: Said) {
  const { answer, frames } = heard(chatClient(), vendor, said);
  const deltas = frames.flatMap(({ choices }) =>
    asObjects(choices).map(({ delta }) => asObject(delta) ?? {}),
  );
  return [answer.choices[0].message.content, deltas.map(({ content }) => content ?? '').join('')];
}

describe.each(Object.entries(vendors))('what %s says', (_, vendor) => {
  test.each([
    [['I search.', null, 'Found.'], 'I search.\n\nFound.'],
    [['I search.', null, null, 'Found', ' it.', null, 'Done.'], 'I search.\n\nFound it.\n\nDone.'],
    [[null, 'Found.', null], 'Found.'],
    [['Found', ' it.'], 'Found it.'],
  ])('around tools of its vendor is kept apart, and nothing else: %p', (said, text) => {
    expect(inChat(vendor, said)).toEqual([text, text]);
  });
});

test('the text of an item of responses is as far apart, and its parts end where they did', () => {
  const { answer, frames } = heard(responsesClient(), vendors['Claude'] ?? never(), ['Go.', null, 'Found.']);
  const expected = [{ text: 'Go.' }, { text: '\n\nFound.', annotations: [{ end_index: 8 }] }];
  expect(answer.output).toMatchObject([{ content: expected }]);
  expect(asObject(frames.at(-1)?.['response'])?.['output']).toMatchObject([{ content: expected }]);
});

function never(): never {
  throw new Error('there is no such vendor');
}
