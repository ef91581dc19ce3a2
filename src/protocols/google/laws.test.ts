import { answerLaws } from '../turn/testing/answer-laws.ts';
import { requestLaws } from '../turn/testing/request-laws.ts';
import { after, before, marker, type UnreadAnswer, unreadLaws } from '../turn/testing/unread-laws.ts';
import { googleClient, googleUpstream } from './protocol.ts';
import { readGoogleRequest } from './request.ts';
import { googleLosses } from './testing/losses.ts';
import { streamOf } from './testing/pieces.ts';

const model = 'gemini-3-flash-preview';

requestLaws({
  client: googleClient,
  upstream: googleUpstream,
  model: { id: model },
  losses: googleLosses,
  check: (text) => readGoogleRequest(text, { model, stream: false }),
});

answerLaws({
  client: googleClient,
  upstream: googleUpstream,
  losses: googleLosses,
  asked: { generationConfig: { thinkingConfig: { includeThoughts: true } } },
});

const traces = [
  { executableCode: { language: 'PYTHON', code: marker } },
  { codeExecutionResult: { outcome: 'OUTCOME_OK', output: marker } },
];
const image = { inlineData: { mimeType: 'image/png', data: marker } };
const audio = { inlineData: { mimeType: 'audio/wav', data: marker } };
const head = { modelVersion: 'gemini-x', responseId: 'r' };

function answer(what: UnreadAnswer['what'], passed: readonly object[], fields: object = {}): UnreadAnswer {
  const parts = [{ text: before }, ...passed, { text: after }];
  const whole = (content: readonly object[], end: object) => ({
    ...head,
    candidates: [{ content: { parts: content, role: 'model' }, index: 0, ...end }],
  });
  const end = { finishReason: 'STOP', ...fields };
  return {
    what,
    whole: whole(parts, end),
    stream: streamOf(...parts.map((part) => whole([part], {})), whole([], end)),
  };
}

const said = (...passed: readonly object[]) => ({
  contents: [{ role: 'model', parts: [{ text: before }, ...passed, { text: after }] }],
});

unreadLaws({
  client: googleClient,
  upstream: googleUpstream,
  losses: googleLosses,
  answers: [answer('traces of vendor tools', traces), answer('audio that the model made', [audio])],
  requests: [
    { what: 'traces of vendor tools', json: said(...traces) },
    { what: 'images that the model made', json: said(image) },
    { what: 'audio that the model made', json: said(audio) },
  ],
});
