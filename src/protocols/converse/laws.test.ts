import { answerLaws } from '../turn/testing/answer-laws.ts';
import { requestLaws } from '../turn/testing/request-laws.ts';
import { after, before, marker, type UnreadAnswer, unreadLaws } from '../turn/testing/unread-laws.ts';
import { converseFrame } from './frame.ts';
import { converseUpstream } from './protocol.ts';
import { converseClient } from './testing/client.ts';
import { converseLosses } from './testing/losses.ts';
import { readConverseRequest } from './testing/request.ts';

requestLaws({
  client: converseClient,
  upstream: converseUpstream(),
  // The one version that takes adaptive thinking, sampling parameters and strict tools.
  model: { id: 'eu.anthropic.claude-opus-4-6-v1' },
  losses: converseLosses,
  check: readConverseRequest,
});

answerLaws({ client: converseClient, upstream: converseUpstream(), losses: converseLosses });

const search = { toolUseId: 't', name: 'nova_grounding', type: 'server_tool_use' };
const found = { toolUseId: 't', type: 'nova_grounding_result' };
const image = { image: { format: 'png', source: { bytes: marker } } };
const citation = { title: marker, location: { web: { url: 'https://x.test' } } };

interface Passed {
  readonly blocks: readonly object[];
  readonly events: readonly (readonly [string, object])[];
}

const delta = (contentBlockIndex: number, change: object) =>
  ['contentBlockDelta', { contentBlockIndex, delta: change }] as const;
const start = (contentBlockIndex: number, of: object) =>
  ['contentBlockStart', { contentBlockIndex, start: of }] as const;
const stop = (contentBlockIndex: number) => ['contentBlockStop', { contentBlockIndex }] as const;

function answer(what: UnreadAnswer['what'], { blocks, events }: Passed): UnreadAnswer {
  const all = [
    ['answerStart', { id: 'r', model: 'm' }],
    ['messageStart', { role: 'assistant' }],
    ...events,
    ['messageStop', { stopReason: 'end_turn' }],
    ['metadata', { usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } }],
  ] as const;
  return {
    what,
    whole: { output: { message: { role: 'assistant', content: blocks } }, stopReason: 'end_turn' },
    stream: all.map(([name, payload]) => converseFrame(name, JSON.stringify(payload))).join(''),
  };
}

const around = (...events: Passed['events']): Passed['events'] => [
  delta(0, { text: before }),
  stop(0),
  ...events,
  delta(9, { text: after }),
  stop(9),
];

const traces = [
  { toolUse: { ...search, input: { query: marker } } },
  { toolResult: { ...found, content: [{ json: { found: marker } }] } },
];
const cited = { citationsContent: { content: [{ text: before }], citations: [citation] } };

const said = (...content: readonly object[]) => ({ messages: [{ role: 'assistant', content }] });

unreadLaws({
  client: converseClient,
  upstream: converseUpstream(),
  losses: converseLosses,
  answers: [
    answer('traces of vendor tools', {
      blocks: [{ text: before }, ...traces, { text: after }],
      events: around(
        start(1, { toolUse: search }),
        delta(1, { toolUse: { input: `{"query":"${marker}"}` } }),
        stop(1),
        start(2, { toolResult: found }),
        delta(2, { toolResult: [{ json: { found: marker } }] }),
        stop(2),
      ),
    }),
    answer('images that the model made', {
      blocks: [{ text: before }, image, { text: after }],
      events: around(start(1, { image: { format: 'png' } }), delta(1, image), stop(1)),
    }),
  ],
  requests: [
    { what: 'traces of vendor tools', json: said({ text: before }, ...traces, { text: after }) },
    { what: 'images that the model made', json: said({ text: before }, image, { text: after }) },
    { what: 'citations', json: said(cited, { text: after }) },
  ],
});
