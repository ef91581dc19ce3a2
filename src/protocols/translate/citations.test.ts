import { describe, expect, test } from 'bun:test';
import { chatClient, chatUpstream } from '../chat-completions/protocol.ts';
import { converseFrame } from '../converse/frame.ts';
import { converseUpstream } from '../converse/protocol.ts';
import { googleClient, googleUpstream } from '../google/protocol.ts';
import { asObject, asObjects, type JsonObject } from '../json/fields.ts';
import { messagesClient, messagesUpstream } from '../messages/protocol.ts';
import type { UpstreamProtocol } from '../protocol.ts';
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
import {
  blockDelta,
  blockStart,
  blockStop,
  chatFrames,
  delta,
  messageDelta,
  messageStart,
  messageStop,
  messagesFrames,
} from '../testing/frames.ts';
import type { InferenceRequest } from '../translator.ts';
import { convert } from './translate.ts';

const url = 'https://harbour.test/boats';
const title = 'Boats of the harbour';
const text = 'Boats 🦥 pass.';
/** Of "pass.": in code points, and in bytes. */
const points = { start_index: 8, end_index: 13 };
const bytes = { startIndex: 11, endIndex: 16 };
const request: InferenceRequest = { text: '{}', json: {}, model: 'm', stream: true, wantsStreamUsage: false };

interface Cited {
  readonly upstream: UpstreamProtocol;
  readonly whole: object;
  readonly stream: string;
  /** The upstream says what of its words is from the source. */
  readonly isSpanned: boolean;
}

const annotation = { type: 'url_citation', url, title };
const responsesPart = {
  type: 'output_text',
  text,
  annotations: [
    { ...annotation, ...points },
    { type: 'file_citation', file_id: 'file-1', filename: 'tides.pdf', index: 3 },
  ],
};
const responsesMessage = {
  type: 'message',
  id: 'msg_0',
  role: 'assistant',
  status: 'completed',
  content: [responsesPart],
};
const citations = [
  { type: 'web_search_result_location', url, title, encrypted_index: 'x', cited_text: 'Many boats' },
  {
    type: 'page_location',
    document_index: 2,
    document_title: 'tides.pdf',
    start_page_number: 4,
    end_page_number: 5,
    cited_text: 'High water',
  },
];
const groundingMetadata = {
  groundingChunks: [
    { web: { uri: url, title } },
    { retrievedContext: { title: 'tides.pdf', text: 'High water' } },
  ],
  groundingSupports: [{ segment: { ...bytes, text: 'pass.' }, groundingChunkIndices: [0] }],
};
const candidate = (parts: readonly object[], rest: object = {}) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...rest }],
  responseId: 'r',
  modelVersion: 'm',
});
const chatHead = { id: 'c', model: 'm' };
const chatAnnotations = [{ type: 'url_citation', url_citation: { url, title, ...points } }];

const converseCitations = [
  {
    title,
    source: url,
    sourceContent: [{ text: 'Many boats' }],
    location: { web: { url, domain: 'harbour.test' } },
  },
  {
    title: 'tides.pdf',
    sourceContent: [{ text: 'High water' }],
    location: { documentPage: { documentIndex: 2, start: 4, end: 5 } },
  },
];

const upstreams: Readonly<Record<string, Cited>> = {
  responses: {
    upstream: responsesUpstream,
    whole: completed([responsesMessage]).response,
    stream: responsesFrames(
      created,
      added(0, message()),
      textDelta(0, text),
      ...responsesPart.annotations.map((each, annotation_index) => ({
        type: 'response.output_text.annotation.added',
        output_index: 0,
        content_index: 0,
        annotation_index,
        annotation: each,
      })),
      done(0, responsesMessage),
      completed([responsesMessage]),
    ),
    isSpanned: true,
  },
  'responses whose annotations come with the end': {
    upstream: responsesUpstream,
    whole: completed([responsesMessage]).response,
    stream: responsesFrames(
      created,
      added(0, message()),
      textDelta(0, text),
      done(0, responsesMessage),
      completed([responsesMessage]),
    ),
    isSpanned: true,
  },
  messages: {
    upstream: messagesUpstream,
    whole: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text, citations }],
      stop_reason: 'end_turn',
    },
    stream: messagesFrames(
      messageStart(),
      blockStart(0, { type: 'text', text: '', citations: [] }),
      ...citations.map((citation) => blockDelta(0, { type: 'citations_delta', citation })),
      blockDelta(0, { type: 'text_delta', text }),
      blockStop(0),
      messageDelta('end_turn', {}),
      messageStop,
    ),
    isSpanned: false,
  },
  google: {
    upstream: googleUpstream,
    whole: candidate([{ text }], { finishReason: 'STOP', groundingMetadata }),
    stream: [
      candidate([{ text: text.slice(0, 4) }]),
      candidate([{ text: text.slice(4) }], { finishReason: 'STOP', groundingMetadata }),
    ]
      .map((piece) => `data: ${JSON.stringify(piece)}\n\n`)
      .join(''),
    isSpanned: true,
  },
  Converse: {
    upstream: converseUpstream(),
    whole: {
      output: {
        message: {
          role: 'assistant',
          content: [{ citationsContent: { content: [{ text }], citations: converseCitations } }],
        },
      },
      stopReason: 'end_turn',
    },
    stream: [
      converseFrame('messageStart', '{"role":"assistant"}'),
      ...[{ text }, ...converseCitations.map((citation) => ({ citation }))].map((each) =>
        converseFrame('contentBlockDelta', JSON.stringify({ contentBlockIndex: 0, delta: each })),
      ),
      converseFrame('contentBlockStop', '{"contentBlockIndex":0}'),
      converseFrame('messageStop', '{"stopReason":"end_turn"}'),
    ].join(''),
    isSpanned: false,
  },
  'chat completions': {
    upstream: chatUpstream(),
    whole: {
      ...chatHead,
      choices: [
        { index: 0, message: { content: text, annotations: chatAnnotations }, finish_reason: 'stop' },
      ],
    },
    stream: chatFrames(
      delta({ content: text }),
      delta({ annotations: chatAnnotations }),
      delta({}, 'stop'),
      '[DONE]',
    ),
    isSpanned: true,
  },
  'chat completions that list their sources': {
    upstream: chatUpstream(),
    whole: {
      ...chatHead,
      citations: [url],
      search_results: [{ url, title }],
      choices: [{ index: 0, message: { content: text }, finish_reason: 'stop' }],
    },
    stream: ['Boats 🦥 ', 'pass.']
      .map((content, at) => ({
        ...chatHead,
        citations: [url],
        search_results: [{ url, title }],
        choices: [{ index: 0, delta: { content }, finish_reason: at === 1 ? 'stop' : null }],
      }))
      .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
      .join(''),
    isSpanned: false,
  },
};

function wholeOf(client: Parameters<typeof convert>[0]['client'], { upstream, whole }: Cited): JsonObject {
  return JSON.parse(convert({ client, upstream }).readAnswer(JSON.stringify(whole), request).body);
}

function framesOf(
  client: Parameters<typeof convert>[0]['client'],
  { upstream, stream }: Cited,
): readonly JsonObject[] {
  const translator = convert({ client, upstream }).openStream(request);
  const out = Buffer.concat([translator.push(Buffer.from(stream)), translator.end()]).toString();
  expect(translator.complaint).toBeNull();
  return [...out.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data));
}

const hasDocuments = (name: string) => !name.startsWith('chat');

describe.each(Object.entries(upstreams))('what %s cite', (name, cited) => {
  const [start, end] = cited.isSpanned ? [8, 13] : [0, 13];

  test('is an annotation in chat completions, which have pages alone', () => {
    const annotations = [
      { type: 'url_citation', url_citation: { start_index: start, end_index: end, title, url } },
    ];
    const [choice] = asObjects(wholeOf(chatClient(), cited)['choices']);
    expect(asObject(choice?.['message'])).toMatchObject({ content: text, annotations });
    const deltas = framesOf(chatClient(), cited).flatMap(({ choices }) =>
      asObjects(choices).flatMap(({ delta: each }) => asObject(each)?.['annotations'] ?? []),
    );
    expect(deltas).toMatchObject(annotations);
  });

  test('is an annotation of its part in responses', () => {
    const page = { type: 'url_citation', url, title, start_index: start, end_index: end };
    const expected = hasDocuments(name) ? [page, { type: 'file_citation', filename: 'tides.pdf' }] : [page];
    const client = responsesClient();
    const [item] = asObjects(wholeOf(client, cited)['output']);
    expect(asObjects(item?.['content'])).toMatchObject([{ text, annotations: expected }]);
    const frames = framesOf(client, cited);
    const told = frames.filter(({ type }) => type === 'response.output_text.annotation.added');
    expect(told).toMatchObject(
      expected.map((annotation, annotation_index) => ({ annotation_index, annotation })),
    );
    const last = asObjects(asObject(frames.at(-1)?.['response'])?.['output'])[0];
    expect(asObjects(last?.['content'])).toMatchObject([{ text, annotations: expected }]);
  });

  test('is a location in messages', () => {
    const page = { type: 'web_search_result_location', url, title };
    const document = { document_title: 'tides.pdf', cited_text: expect.any(String) };
    const expected = hasDocuments(name) ? [page, document] : [page];
    expect(wholeOf(messagesClient, cited)['content']).toMatchObject([
      { type: 'text', text, citations: expected },
    ]);
    const deltas = framesOf(messagesClient, cited).flatMap(({ delta: each }) => {
      const one = asObject(each);
      return one?.['type'] === 'citations_delta' ? [one['citation']] : [];
    });
    expect(deltas).toMatchObject(expected);
  });

  test('grounds the answer in generateContent', () => {
    const found = { web: { uri: url, title } };
    const chunks = hasDocuments(name) ? [found, { retrievedContext: { title: 'tides.pdf' } }] : [found];
    const [whole] = asObjects(wholeOf(googleClient, cited)['candidates']);
    const last = asObjects(framesOf(googleClient, cited).at(-1)?.['candidates'])[0];
    for (const one of [whole, last]) {
      const grounding = asObject(one?.['groundingMetadata']) ?? {};
      expect(grounding['groundingChunks']).toMatchObject(chunks);
      const [support] = asObjects(grounding['groundingSupports']);
      expect(support).toMatchObject({
        segment: cited.isSpanned ? { ...bytes, text: 'pass.' } : { startIndex: 0, endIndex: 16, text },
        // Sources of the same words are told of together.
        groundingChunkIndices: ['messages', 'Converse'].includes(name) ? [0, 1] : [0],
      });
    }
  });
});

test('texts that are kept apart keep their spans', () => {
  const first = {
    ...responsesMessage,
    id: 'msg_a',
    content: [{ ...responsesPart, text: 'One.', annotations: [] }],
  };
  const second = {
    ...responsesMessage,
    content: [{ ...responsesPart, annotations: [responsesPart.annotations[0]] }],
  };
  const both: Cited = {
    upstream: responsesUpstream,
    whole: completed([first, second]).response,
    stream: responsesFrames(created, done(0, first), done(1, second), completed([first, second])),
    isSpanned: true,
  };
  const expected = [{ url_citation: { start_index: 6 + 8, end_index: 6 + 13 } }];
  const [choice] = asObjects(wholeOf(chatClient(), both)['choices']);
  expect(asObject(choice?.['message'])).toMatchObject({ content: `One.\n\n${text}`, annotations: expected });
  const deltas = framesOf(chatClient(), both).flatMap(({ choices }) =>
    asObjects(choices).flatMap(({ delta: each }) => asObject(each)?.['annotations'] ?? []),
  );
  expect(deltas).toMatchObject(expected);
});

test('a code point whose halves come apart is one before what is cited behind it', () => {
  const said = (block: number, piece: string) => blockDelta(block, { type: 'text_delta', text: piece });
  const [citation] = citations;
  const cited: Cited = {
    upstream: messagesUpstream,
    whole: {},
    stream: messagesFrames(
      messageStart(),
      blockStart(0, { type: 'text', text: '' }),
      ...[said(0, text.slice(0, 7)), said(0, text.slice(7, 9)), blockStop(0)],
      blockStart(1, { type: 'text', text: '', citations: [] }),
      ...[said(1, text.slice(9)), blockDelta(1, { type: 'citations_delta', citation }), blockStop(1)],
      ...[messageDelta('end_turn', {}), messageStop],
    ),
    isSpanned: false,
  };
  const deltas = framesOf(chatClient(), cited).flatMap(({ choices }) =>
    asObjects(choices).flatMap(({ delta: each }) => asObject(each)?.['annotations'] ?? []),
  );
  expect(deltas).toMatchObject([{ url_citation: points }]);
});

test('pages and places of documents survive on the way back to messages', () => {
  const [block] = asObjects(wholeOf(messagesClient, upstreams['messages'] ?? never())['content']);
  expect(asObjects(block?.['citations'])[1]).toMatchObject({ ...citations[1] });
});

test('what another vendor cited is taken out before Claude sees it again', () => {
  const { content } = wholeOf(messagesClient, upstreams['google'] ?? never());
  const json = {
    model: 'm',
    max_tokens: 9,
    messages: [
      { role: 'assistant', content },
      { role: 'user', content: 'hi' },
    ],
  };
  const body = { ...request, json, text: JSON.stringify(json) };
  const sent = JSON.parse(messagesUpstream.passthrough.writeRequest(body, 'claude'));
  expect(sent.messages[0].content).toEqual([{ type: 'text', text }]);
});

function never(): never {
  throw new Error('there is no such upstream');
}

test('sources of all of a text are told once for them for clients of Gemini, however many there are', () => {
  const citations = Array.from({ length: 40 }, (_, at) => `https://harbour.test/${at}`);
  const long = text.repeat(200);
  const { body } = convert({ client: googleClient, upstream: chatUpstream() }).readAnswer(
    JSON.stringify({ citations, choices: [{ message: { content: long }, finish_reason: 'stop' }] }),
    request,
  );
  const { groundingChunks, groundingSupports } = JSON.parse(body).candidates[0].groundingMetadata;
  expect(groundingChunks).toHaveLength(40);
  expect(groundingSupports).toMatchObject([
    { segment: { text: long }, groundingChunkIndices: citations.map((_, at) => at) },
  ]);
});
