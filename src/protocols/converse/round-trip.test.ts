import { answerLaws } from '../turn/testing/answer-laws.ts';
import { requestLaws } from '../turn/testing/request-laws.ts';
import { converseLosses } from './losses.ts';
import { converseClient, converseUpstream } from './protocol.ts';
import { readConverseRequest } from './request.ts';

requestLaws({
  client: converseClient,
  upstream: converseUpstream(),
  // The one version that takes adaptive thinking, sampling parameters and strict tools.
  model: { id: 'eu.anthropic.claude-opus-4-6-v1' },
  losses: converseLosses,
  check: readConverseRequest,
});

answerLaws({ client: converseClient, upstream: converseUpstream(), losses: converseLosses });
