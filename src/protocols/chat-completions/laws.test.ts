import { chatFrames, delta } from '../testing/frames.ts';
import { answerLaws } from '../turn/testing/answer-laws.ts';
import { freeTextLaws } from '../turn/testing/free-text-laws.ts';
import { requestLaws } from '../turn/testing/request-laws.ts';
import { after, before, marker, type UnreadAnswer, unreadLaws } from '../turn/testing/unread-laws.ts';
import { chatClient, chatUpstream } from './protocol.ts';
import { readChatRequest } from './request.ts';
import { chatLosses } from './testing/losses.ts';

requestLaws({
  client: chatClient(),
  upstream: chatUpstream(),
  model: { id: 'm' },
  losses: chatLosses,
  check: readChatRequest,
});

answerLaws({ client: chatClient(), upstream: chatUpstream(), losses: chatLosses });

freeTextLaws({
  client: chatClient(),
  upstream: chatUpstream(),
  losses: chatLosses,
  declare: (name) => ({ type: 'custom', custom: { name } }),
});

const content = before + after;
const audio = { id: marker, data: 'AAAA', expires_at: 9, transcript: 'a' };
const images = [{ type: 'image_url', image_url: { url: `data:image/png;base64,${marker}` } }];
const annotations = [
  {
    type: 'url_citation',
    url_citation: { start_index: 0, end_index: 7, url: `https://${marker}.test`, title: 'T' },
  },
];

function answer(what: UnreadAnswer['what'], fields: object): UnreadAnswer {
  const message = { role: 'assistant', content, ...fields };
  return {
    what,
    whole: { id: 'x', model: 'm', created: 5, choices: [{ index: 0, message, finish_reason: 'stop' }] },
    stream: chatFrames(
      delta({ role: 'assistant', content: before }),
      delta(fields),
      delta({ content: after }),
      delta({}, 'stop'),
      '[DONE]',
    ),
  };
}

const said = (fields: object) => ({ messages: [{ role: 'assistant', content, ...fields }] });

unreadLaws({
  client: chatClient(),
  upstream: chatUpstream(),
  losses: chatLosses,
  answers: [answer('audio that the model made', { audio })],
  requests: [
    { what: 'audio that the model made', json: said({ audio: { id: marker } }) },
    { what: 'images that the model made', json: said({ images }) },
    { what: 'citations', json: said({ annotations }) },
  ],
});
