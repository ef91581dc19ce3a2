import { answerLaws } from '../turn/testing/answer-laws.ts';
import { freeTextLaws } from '../turn/testing/free-text-laws.ts';
import { requestLaws } from '../turn/testing/request-laws.ts';
import { after, before, marker, type UnreadAnswer, unreadLaws } from '../turn/testing/unread-laws.ts';
import { responsesClient, responsesUpstream } from './protocol.ts';
import { readResponsesRequest } from './request.ts';
import { added, completed, created, done, message, responsesFrames } from './testing/frames.ts';
import { responsesLosses } from './testing/losses.ts';

requestLaws({
  client: responsesClient(),
  upstream: responsesUpstream,
  model: { id: 'm' },
  losses: responsesLosses,
  check: readResponsesRequest,
});

answerLaws({ client: responsesClient(), upstream: responsesUpstream, losses: responsesLosses });

freeTextLaws({
  client: responsesClient(),
  upstream: responsesUpstream,
  losses: responsesLosses,
  declare: (name) => ({ type: 'custom', name }),
});

const traces = [
  { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: marker } },
  { type: 'code_interpreter_call', id: 'ci_1', status: 'completed', code: marker, outputs: [] },
];
const image = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: marker };
const annotation = {
  type: 'url_citation',
  start_index: 0,
  end_index: 7,
  url: `https://${marker}.test`,
  title: 'T',
};
const cited = {
  ...message(before + after),
  content: [{ type: 'output_text', text: before + after, annotations: [annotation] }],
};

function answer(what: UnreadAnswer['what'], ...passed: readonly object[]): UnreadAnswer {
  const output = [message(before), ...passed, message(after)];
  return {
    what,
    whole: completed(output).response,
    stream: responsesFrames(
      created,
      ...output.flatMap((item, index) => [added(index, item), done(index, item)]),
      completed(output),
    ),
  };
}

unreadLaws({
  client: responsesClient(),
  upstream: responsesUpstream,
  losses: responsesLosses,
  answers: [answer('traces of vendor tools', ...traces)],
  requests: [
    { what: 'traces of vendor tools', json: { input: [message(before), ...traces, message(after)] } },
    { what: 'images that the model made', json: { input: [message(before), image, message(after)] } },
    { what: 'citations', json: { input: [cited] } },
  ],
});
