import { answerLaws } from '../turn/testing/answer-laws.ts';
import { requestLaws } from '../turn/testing/request-laws.ts';
import { messagesLosses } from './losses.ts';
import { messagesClient, messagesUpstream } from './protocol.ts';
import { readMessagesRequest } from './request.ts';

requestLaws({
  client: messagesClient,
  upstream: messagesUpstream,
  // The one version that takes both adaptive thinking and sampling parameters.
  model: { id: 'claude-opus-4-6' },
  losses: messagesLosses,
  check: readMessagesRequest,
});

answerLaws({ client: messagesClient, upstream: messagesUpstream, losses: messagesLosses });
