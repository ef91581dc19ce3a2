import { answerLaws } from '../turn/testing/answer-laws.ts';
import { freeTextLaws } from '../turn/testing/free-text-laws.ts';
import { requestLaws } from '../turn/testing/request-laws.ts';
import { chatLosses } from './losses.ts';
import { chatClient, chatUpstream } from './protocol.ts';
import { readChatRequest } from './request.ts';

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
