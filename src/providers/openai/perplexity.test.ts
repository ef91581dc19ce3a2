/** Perplexity in responses alone: where it is asked, what it gets of requests of either protocol, and what becomes of its answers. */
import { describe, expect, test } from 'bun:test';
import { chatClient } from '../../protocols/chat-completions/protocol.ts';
import { readChatRequest } from '../../protocols/chat-completions/request.ts';
import { responsesClient } from '../../protocols/responses/protocol.ts';
import { readResponsesRequest } from '../../protocols/responses/request.ts';
import { translate } from '../../protocols/translate/translate.ts';
import type { TurnEvent } from '../../protocols/turn/events.ts';
import { collectAnswer } from '../../protocols/turn/testing/collect-answer.ts';
import { presetAdapters } from './openai.ts';
import { perplexityAgent } from './perplexity.ts';

const adapter = presetAdapters.find(({ kind }) => kind === 'perplexity');
const model = 'perplexity/sonar';
const said = { role: 'user', content: 'When does the tide turn?' };

/** What the upstream gets of a request in chat completions. */
const sentFor = (request: object): unknown => {
  const read = readChatRequest(JSON.stringify({ model: 'm', messages: [said], ...request }));
  return JSON.parse(translate({ client: chatClient(), upstream: perplexityAgent }).writeRequest(read, model));
};
const sentForResponses = (request: object): unknown => {
  const read = readResponsesRequest(JSON.stringify({ model: 'm', input: 'Hi', ...request }));
  const upstream = perplexityAgent;
  return JSON.parse(translate({ client: responsesClient(), upstream }).writeRequest(read, model));
};

describe('a row of Perplexity', () => {
  test('is asked in responses, and in nothing else', async () => {
    const [chat, ...others] = adapter?.supports({}).chat ?? [];
    expect([chat?.protocol.name, others]).toEqual(['responses', []]);
    const target = { name: 'main', baseUrl: null, region: null, secret: 'k', settings: {} };
    const address = await chat?.address({ target, model, stream: false, body: '', forwarded: {} });
    expect(address?.url).toBe('https://api.perplexity.ai/v1/responses');
    for (const protocols of [['chat-completions'], ['responses', 'chat-completions']]) {
      expect(() => adapter?.checkSettings?.({ protocols })).toThrow('no chat completions any more');
    }
    expect(() => adapter?.checkSettings?.({ protocols: ['responses'] })).not.toThrow();
  });
});

describe('it gets', () => {
  test('the members that it knows, in its form, and no others', () => {
    expect(
      sentFor({
        messages: [
          { role: 'system', content: 'Be brief.' },
          {
            role: 'user',
            content: [{ type: 'image_url', image_url: { url: 'https://x.test/a.png', detail: 'low' } }],
          },
          { role: 'assistant', content: 'Falling.', tool_calls: [callOf('read_gauge')] },
          {
            role: 'tool',
            tool_call_id: 'c1',
            content: [
              { type: 'text', text: '4' },
              { type: 'text', text: ' m' },
            ],
          },
        ],
        ...{ max_tokens: 900, temperature: 0.4, user: 'keeper', reasoning_effort: 'medium', stream: true },
        ...{ prompt_cache_key: 'lock', service_tier: 'auto', seed: 7, presence_penalty: 1 },
        tools: [
          {
            type: 'function',
            function: { name: 'read_gauge', parameters: { type: 'object', properties: {} } },
          },
        ],
        tool_choice: { type: 'function', function: { name: 'read_gauge' } },
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'tide', schema: { type: 'object', properties: {} } },
        },
      }),
    ).toEqual({
      ...{
        model,
        instructions: 'Be brief.',
        max_output_tokens: 900,
        temperature: 0.4,
        store: false,
        stream: true,
      },
      input: [
        {
          type: 'message',
          role: 'user',
          content: [{ type: 'input_image', image_url: 'https://x.test/a.png' }],
        },
        { type: 'message', role: 'assistant', content: 'Falling.' },
        { type: 'function_call', call_id: 'c1', name: 'read_gauge', arguments: '{"post":4}' },
        { type: 'function_call_output', call_id: 'c1', output: '4 m' },
      ],
      tools: [
        {
          type: 'function',
          name: 'read_gauge',
          parameters: { type: 'object', properties: {} },
          strict: false,
        },
      ],
      tool_choice: { name: 'read_gauge' },
      reasoning: { effort: 'medium' },
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'tide', schema: { type: 'object', properties: {} }, strict: false },
      },
    });
  });

  test('a search of the web where one is asked for', () => {
    const approximate = { city: 'Rye', country: 'GB' };
    expect(
      sentFor({
        web_search_options: {
          search_context_size: 'low',
          user_location: { type: 'approximate', approximate },
        },
      }),
    ).toMatchObject({
      tools: [
        { type: 'web_search', search_context_size: 'low', user_location: { city: 'Rye', country: 'GB' } },
      ],
    });
    expect(sentFor({})).not.toHaveProperty('tools');
  });

  test('its own requests as they are, and those with members of OpenAI alone in its form', () => {
    const tools = [{ type: 'web_search', filters: { search_recency_filter: 'day' } }];
    const own = { tools, max_steps: 3, language_preference: 'de' };
    expect(sentForResponses(own)).toEqual({ model, input: 'Hi', ...own });
    expect(
      sentForResponses({
        ...{ text: { format: { type: 'text' }, verbosity: 'low' }, include: ['reasoning.encrypted_content'] },
        tools: [{ type: 'web_search', filters: { allowed_domains: ['rye.test'] } }],
      }),
    ).toMatchObject({
      input: [{ type: 'message', role: 'user', content: 'Hi' }],
      tools: [{ type: 'web_search', filters: { search_domain_filter: ['rye.test'] } }],
    });
    const sent = sentForResponses({ text: { verbosity: 'low' }, include: [] });
    expect(Object.keys(Object(sent))).not.toContain('text');
    expect(Object.keys(Object(sent))).not.toContain('include');
  });

  test('what is its own, bounds first of all, also where the rest is put in its form', () => {
    const own = {
      ...{ max_tool_calls: 1, max_steps: 2 },
      ...{ language_preference: 'de', previous_response_id: 'resp_0' },
    };
    const [hi, search] = [{ type: 'message', role: 'user', content: 'Hi' }, { type: 'web_search' }];
    for (const openais of [{ include: [] }, { text: {} }, { user: 'a' }, { prompt_cache_key: 'b' }]) {
      const sent = { model, store: false, input: [hi], tools: [search], ...own };
      expect(sentForResponses({ tools: [search], background: null, ...own, ...openais })).toEqual(sent);
    }
    const tools = [search, { type: 'custom', name: 'patch' }];
    expect(sentForResponses({ tools, ...own })).toMatchObject({ ...own, tools: [search, { name: 'patch' }] });
    expect(sentForResponses({ tools: [search], user: 'a', max_tool_calls: 0 })).not.toHaveProperty('tools');
  });
});

/** As it answered a search in September 2026, without the words and with fewer results. */
const found = {
  type: 'search_results',
  queries: ['tide at Rye'],
  results: [
    { id: 1, title: 'Tides', url: 'https://tides.test/rye', snippet: 'high at 4', source: 'web' },
    { id: 2, title: 'Rye', url: 'https://rye.test/', snippet: 'a town', source: 'web' },
  ],
};
const text = 'It turns at four.[1]';
const message = {
  ...{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' },
  content: [{ type: 'output_text', text, annotations: [] }],
};
const response = {
  ...{ id: 'resp_1', object: 'response', created_at: 5, model, error: null, status: 'completed' },
  output: [found, message],
  service_tier: 'default',
  usage: {
    ...{ input_tokens: 3007, output_tokens: 36, total_tokens: 3043 },
    input_tokens_details: {
      ...{ cache_creation_input_tokens: 1224, cache_read_input_tokens: 1780, cached_tokens: 1780 },
    },
    output_tokens_details: { reasoning_tokens: 0 },
    cost: { currency: 'USD', total_cost: 0.00119, tool_calls_cost: 0.001 },
    tool_calls_details: { search_web: { cost_usd: 0.001, invocation: 2 } },
  },
};
const counted = {
  ...{ inputTokens: 3, cacheReadTokens: 1780, cacheWrite5mTokens: 1224, outputTokens: 36 },
  extras: { web_search: 2 },
};
const citations = found.results.map(({ url, title }) => ({ source: { kind: 'url', url, title } }));

describe('its answer', () => {
  test('cites what was found, and counts the searches', () => {
    const { choices, usage } = perplexityAgent.readAnswer(response);
    expect(choices).toMatchObject([
      { content: [{ type: 'text', text, citations }], stop: { reason: 'end' } },
    ]);
    expect(usage).toMatchObject(counted);
  });

  test('that was cancelled is none', () => {
    const error = { message: 'It was cancelled.' };
    const cancelled = { ...response, status: 'cancelled', output: [], error };
    expect(() => perplexityAgent.readAnswer(cancelled)).toThrow('It was cancelled.');
    const request = readResponsesRequest('{"model":"m","input":"Hi"}');
    expect(() => perplexityAgent.passthrough.readAnswer(JSON.stringify(cancelled), request)).toThrow(
      'It was cancelled.',
    );
  });

  /** A search of its own begins as a call, and ends as what it found. */
  const events = [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } },
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: {
        ...{ type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'search_web', status: 'completed' },
        arguments: '{"queries":["tide at Rye"]}',
      },
    },
    {
      type: 'response.reasoning.search_queries',
      call_id: 'call_1',
      queries: found.queries,
      thought: 'Searching',
    },
    {
      type: 'response.reasoning.search_results',
      call_id: 'call_1',
      results: found.results,
      thought: 'Found 2',
    },
    { type: 'response.output_item.done', output_index: 0, item: found },
    { type: 'response.output_item.added', output_index: 1, item: { ...message, content: null } },
    { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'It turns ' },
    { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'at four.[1]' },
    { type: 'response.output_text.done', output_index: 1, content_index: 0, text },
    { type: 'response.output_item.done', output_index: 1, item: message },
    { type: 'response.completed', response },
  ];
  const readAll = (sent: readonly object[]) => {
    const reader = perplexityAgent.openReader();
    const told: TurnEvent[] = [];
    for (const event of sent) reader.read(JSON.stringify(event), told);
    return { reader, told };
  };

  test('in a stream shows no call of a search that it made itself, and cites what was found', () => {
    const { reader, told } = readAll(events);
    expect([reader.complaint, reader.isComplete]).toEqual([null, true]);
    const { choices, usage } = collectAnswer(told);
    expect(choices).toMatchObject([
      { content: [{ type: 'text', text, citations }], stop: { reason: 'end' } },
    ]);
    expect(usage).toMatchObject(counted);
    expect(readAll(events.slice(0, 6)).reader.extrasSoFar).toMatchObject({ web_search: 1 });
  });

  test('in a stream still shows a call of a tool of the caller', () => {
    const call = {
      ...{ type: 'function_call', id: 'fc_2', call_id: 'call_2', name: 'read_gauge', status: 'completed' },
      arguments: '{"post":4}',
    };
    const whole = { ...response, output: [call] };
    const begun = { type: 'response.output_item.added', output_index: 0, item: call };
    for (const ends of [[{ ...begun, type: 'response.output_item.done' }], []]) {
      const { told } = readAll([begun, ...ends, { type: 'response.completed', response: whole }]);
      expect(collectAnswer(told).choices).toMatchObject([
        {
          content: [{ type: 'tool_use', id: 'call_2', name: 'read_gauge', input: '{"post":4}' }],
          stop: { reason: 'tool_use' },
        },
      ]);
    }
  });

  test('in a stream that was cancelled is broken', () => {
    const error = { message: 'It was cancelled.' };
    const cancelled = { type: 'response.cancelled', response: { ...response, status: 'cancelled', error } };
    const { reader } = readAll([...events.slice(0, 7), cancelled]);
    expect(reader.complaint).toMatchObject(error);
    const request = readResponsesRequest('{"model":"m","input":"Hi","stream":true}');
    const passing = perplexityAgent.passthrough.openStream(request);
    for (const event of [...events.slice(0, 7), cancelled]) {
      passing.push(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
    }
    expect([passing.hasContent, passing.complaint]).toMatchObject([true, error]);
  });
});

function callOf(name: string) {
  return { id: 'c1', type: 'function', function: { name, arguments: '{"post":4}' } };
}
