import { describe, expect, test } from 'bun:test';
import { chatClient, chatUpstream } from '../chat-completions/protocol.ts';
import { googleClient, googleUpstream } from '../google/protocol.ts';
import { asObject, asObjects, type JsonObject } from '../json/fields.ts';
import { messagesClient } from '../messages/protocol.ts';
import type { ClientProtocol, UpstreamProtocol } from '../protocol.ts';
import { responsesClient, responsesUpstream } from '../responses/protocol.ts';
import {
  added,
  completed,
  created,
  done,
  message,
  responsesFrames,
  textDelta,
} from '../responses/testing/frames.ts';
import { chatFrames, delta } from '../testing/frames.ts';
import type { InferenceRequest } from '../translator.ts';
import { convert } from './translate.ts';

const data = 'UklGRg==';
const text = 'A cat.';
const address = `data:image/webp;base64,${data}`;
const request: InferenceRequest = { text: '{}', json: {}, model: 'm', stream: true, wantsStreamUsage: false };

interface Painted {
  readonly upstream: UpstreamProtocol;
  readonly whole: object;
  readonly stream: string;
}

const head = { id: 'c', model: 'm' };
const images = [{ type: 'image_url', image_url: { url: address } }];
const call = {
  type: 'image_generation_call',
  id: 'ig_1',
  status: 'completed',
  output_format: 'webp',
  result: data,
};
const said = { ...message(text), id: 'msg_0' };
const candidate = (parts: readonly object[], rest: object = {}) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...rest }],
  responseId: 'r',
  modelVersion: 'm',
});
const inline = { inlineData: { mimeType: 'image/webp', data } };

const upstreams: Readonly<Record<string, Painted>> = {
  responses: {
    upstream: responsesUpstream,
    whole: completed([said, call]).response,
    stream: responsesFrames(
      created,
      added(0, message()),
      textDelta(0, text),
      done(0, said),
      added(1, { type: 'image_generation_call', id: 'ig_1', status: 'in_progress' }),
      { type: 'response.image_generation_call.partial_image', output_index: 1, partial_image_b64: 'AAAA' },
      done(1, call),
      completed([said, call]),
    ),
  },
  generateContent: {
    upstream: googleUpstream,
    whole: candidate([{ text }, inline], { finishReason: 'STOP' }),
    stream: [candidate([{ text }]), candidate([inline], { finishReason: 'STOP' })]
      .map((piece) => `data: ${JSON.stringify(piece)}\n\n`)
      .join(''),
  },
  'chat completions': {
    upstream: chatUpstream(),
    whole: { ...head, choices: [{ index: 0, message: { content: text, images }, finish_reason: 'stop' }] },
    stream: chatFrames(delta({ content: text }), delta({ images }), delta({}, 'stop'), '[DONE]'),
  },
};

function wholeOf(client: ClientProtocol, { upstream, whole }: Painted): JsonObject {
  return JSON.parse(convert({ client, upstream }).readAnswer(JSON.stringify(whole), request).body);
}

function framesOf(client: ClientProtocol, { upstream, stream }: Painted): readonly JsonObject[] {
  const translator = convert({ client, upstream }).openStream(request);
  const out = Buffer.concat([translator.push(Buffer.from(stream)), translator.end()]).toString();
  expect(translator.complaint).toBeNull();
  return [...out.matchAll(/^data: (\{.*)$/gm)].map(([, frame = '']) => JSON.parse(frame));
}

describe.each(Object.entries(upstreams))('an image that a model made, from %s', (_name, painted) => {
  test('stands beside the text in chat completions', () => {
    const [choice] = asObjects(wholeOf(chatClient(), painted)['choices']);
    expect(asObject(choice?.['message'])).toMatchObject({ content: text, images });
    const told = framesOf(chatClient(), painted).flatMap(({ choices }) =>
      asObjects(choices).flatMap(({ delta: each }) => asObject(each)?.['images'] ?? []),
    );
    expect(told).toMatchObject(images);
  });

  test('is an item in responses', () => {
    const expected = [
      { type: 'message', content: [{ text }] },
      { type: 'image_generation_call', status: 'completed', output_format: 'webp', result: data },
    ];
    expect(asObjects(wholeOf(responsesClient(), painted)['output'])).toMatchObject(expected);
    const frames = framesOf(responsesClient(), painted);
    const ended = frames.filter(({ type }) => type === 'response.output_item.done');
    expect(ended.map(({ item }) => item)).toMatchObject(expected);
    expect(asObjects(asObject(frames.at(-1)?.['response'])?.['output'])).toMatchObject(expected);
  });

  test('is a part in generateContent', () => {
    const partsOf = (answer: JsonObject) =>
      asObjects(answer['candidates']).flatMap(({ content }) => asObjects(asObject(content)?.['parts']));
    expect(partsOf(wholeOf(googleClient, painted))).toMatchObject([{ text }, inline]);
    expect(framesOf(googleClient, painted).flatMap(partsOf)).toMatchObject([{ text }, inline, { text: '' }]);
  });

  test('is left out in messages, and the text stays', () => {
    expect(wholeOf(messagesClient, painted)['content']).toMatchObject([{ type: 'text', text }]);
    expect(framesOf(messagesClient, painted).at(-1)).toMatchObject({ type: 'message_stop' });
  });
});

test('several images have an index each, whole and streamed', () => {
  const pictures = [inline, { inlineData: { mimeType: 'image/png', data: 'iVBORw==' } }];
  const painted: Painted = {
    upstream: googleUpstream,
    whole: candidate(pictures, { finishReason: 'STOP' }),
    stream: [candidate(pictures.slice(0, 1)), candidate(pictures.slice(1), { finishReason: 'STOP' })]
      .map((piece) => `data: ${JSON.stringify(piece)}\n\n`)
      .join(''),
  };
  const expected = [
    { index: 0, image_url: { url: address } },
    { index: 1, image_url: { url: 'data:image/png;base64,iVBORw==' } },
  ];
  const [choice] = asObjects(wholeOf(chatClient(), painted)['choices']);
  expect(asObject(choice?.['message'])).toMatchObject({ images: expected });
  const told = framesOf(chatClient(), painted).flatMap(({ choices }) =>
    asObjects(choices).flatMap(({ delta: each }) => asObject(each)?.['images'] ?? []),
  );
  expect(told).toMatchObject(expected);
});

test('an image alone is content: a stream of it has begun', () => {
  const stream = convert({ client: chatClient(), upstream: googleUpstream }).openStream(request);
  stream.push(Buffer.from(`data: ${JSON.stringify(candidate([inline]))}\n\n`));
  expect(stream.hasContent).toBe(true);
  const passed = googleUpstream.passthrough.openStream(request);
  passed.push(Buffer.from(`data: ${JSON.stringify(candidate([inline]))}\n\n`));
  expect(passed.hasContent).toBe(true);
});
