import { answerLaws } from '../turn/testing/answer-laws.ts';
import { requestLaws } from '../turn/testing/request-laws.ts';
import { googleLosses } from './losses.ts';
import { googleClient, googleUpstream } from './protocol.ts';
import { readGoogleRequest } from './request.ts';

const model = 'gemini-3-flash-preview';

requestLaws({
  client: googleClient,
  upstream: googleUpstream,
  model: { id: model },
  losses: googleLosses,
  check: (text) => readGoogleRequest(text, { model, stream: false }),
});

answerLaws({ client: googleClient, upstream: googleUpstream, losses: googleLosses });
