import { answerLaws } from '../turn/testing/answer-laws.ts';
import { freeTextLaws } from '../turn/testing/free-text-laws.ts';
import { requestLaws } from '../turn/testing/request-laws.ts';
import { responsesLosses } from './losses.ts';
import { responsesClient, responsesUpstream } from './protocol.ts';
import { readResponsesRequest } from './request.ts';

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
