/** How the search of the web, which several vendors run, is asked for at each upstream. */
import { describe, expect, test } from 'bun:test';
import { chatUpstream } from '../chat-completions/protocol.ts';
import { googleClient, googleUpstream } from '../google/protocol.ts';
import { readGoogleRequest } from '../google/request.ts';
import type { JsonObject } from '../json/fields.ts';
import { messagesClient, messagesUpstream } from '../messages/protocol.ts';
import { readMessagesRequest } from '../messages/request.ts';
import type { ClientProtocol, UpstreamProtocol } from '../protocol.ts';
import { responsesClient, responsesUpstream } from '../responses/protocol.ts';
import { readResponsesRequest } from '../responses/request.ts';
import type { InferenceRequest } from '../translator.ts';
import { translate } from './translate.ts';

const upstreams = {
  chat: [chatUpstream(), 'gpt-5-search-api'],
  messages: [messagesUpstream, 'claude-opus-4-6'],
  responses: [responsesUpstream, 'gpt-5'],
  google: [googleUpstream, 'gemini-2.5-flash'],
} as const satisfies Record<string, readonly [UpstreamProtocol, string]>;
type Upstream = keyof typeof upstreams;

function sent(client: ClientProtocol, request: InferenceRequest, to: Upstream): JsonObject {
  const [upstream, id] = upstreams[to];
  const { tools, tool_choice, toolConfig, max_tool_calls, web_search_options } = JSON.parse(
    translate({ client, upstream }).writeRequest(request, id),
  );
  return JSON.parse(JSON.stringify({ tools, tool_choice, toolConfig, max_tool_calls, web_search_options }));
}

const user = { role: 'user', content: 'hi' };
const place = { type: 'approximate', country: 'DE', city: 'Husum' };
const domains = ['tides.example'];

const fromMessages = (fields: object, to: Upstream) =>
  sent(
    messagesClient,
    readMessagesRequest(JSON.stringify({ model: 'm', max_tokens: 9, messages: [user], ...fields })),
    to,
  );
const fromResponses = (fields: object, to: Upstream) =>
  sent(responsesClient(), readResponsesRequest(JSON.stringify({ model: 'm', input: 'hi', ...fields })), to);

describe('a search that a messages request declares', () => {
  const search = { type: 'web_search_20250305', name: 'web_search' };
  const look = { name: 'look', input_schema: { type: 'object', properties: {} } };
  const chosen = { type: 'tool', name: 'web_search' };

  test('keeps its place, its domains and its bound', () => {
    const tools = [{ ...search, user_location: place, allowed_domains: domains, max_uses: 3 }];
    expect(fromMessages({ tools }, 'responses')).toEqual({
      tools: [{ type: 'web_search', user_location: place, filters: { allowed_domains: domains } }],
      max_tool_calls: 3,
    });
    const kept = fromMessages({ tools: [{ ...search, blocked_domains: domains }] }, 'responses');
    expect(kept).toEqual({ tools: [{ type: 'web_search', filters: { blocked_domains: domains } }] });
  });

  test('is chosen by what it is called there, or by a model that does nothing but search', () => {
    const asked = { tools: [search], tool_choice: chosen };
    expect(fromMessages(asked, 'responses')).toEqual({
      tools: [{ type: 'web_search' }],
      tool_choice: { type: 'web_search' },
    });
    const { tool_choice, web_search_options } = fromMessages({ ...asked, tools: [search, look] }, 'chat');
    expect([tool_choice, web_search_options]).toEqual([undefined, {}]);
  });

  test.each<[object, JsonObject]>([
    [chosen, { tools: [{ googleSearch: {} }] }],
    [{ type: 'any' }, { tools: [{ googleSearch: {} }] }],
    [{ type: 'none' }, {}],
  ])(
    'goes to Google without a configuration of functions, which it would refuse: %j',
    (tool_choice, written) => {
      expect(fromMessages({ tools: [search], tool_choice }, 'google')).toEqual(written);
    },
  );

  test('is not left out where it is what is to be used', () => {
    const asked = { tools: [search, look], tool_choice: chosen };
    expect(() => fromMessages(asked, 'google')).toThrow('functions beside tools that Google runs');
    expect(fromMessages({ ...asked, tool_choice: { type: 'auto' } }, 'google')).toMatchObject({
      tools: [{ functionDeclarations: [{ name: 'look' }] }],
    });
  });

  test.each(['google', 'chat'] as const)('is refused at %s when it is held to domains', (to) => {
    const held = (fields: object) => () => fromMessages({ tools: [{ ...search, ...fields }] }, to);
    expect(held({ allowed_domains: domains })).toThrow('held to domains');
    expect(held({ blocked_domains: domains })).toThrow('held to domains');
    expect(held({ allowed_domains: null, blocked_domains: [] })).not.toThrow();
  });
});

describe('a search that a Gemini request declares', () => {
  const request = (googleSearch: object) =>
    readGoogleRequest(
      JSON.stringify({ contents: [{ parts: [{ text: 'hi' }] }], tools: [{ googleSearch }] }),
      {
        model: 'm',
        stream: false,
      },
    );

  test('goes wherever there is one, without the domains that it leaves out, and is itself at Google', () => {
    const asked = request({ excludeDomains: domains });
    expect(sent(googleClient, asked, 'responses')).toEqual({
      tools: [{ type: 'web_search', filters: { blocked_domains: domains } }],
    });
    expect(sent(googleClient, asked, 'messages')).toEqual({
      tools: [{ type: 'web_search_20250305', name: 'web_search', blocked_domains: domains }],
    });
    expect(sent(googleClient, asked, 'google')).toEqual({
      tools: [{ googleSearch: { excludeDomains: domains } }],
    });
    expect(sent(googleClient, request({}), 'chat')).toEqual({ web_search_options: {} });
  });
});

describe('a search that a Responses request declares', () => {
  const search = { type: 'web_search_preview' };
  const find = { type: 'function', name: 'web_search', parameters: { type: 'object', properties: {} } };

  test('keeps its place, its domains and its bound', () => {
    const tools = [{ type: 'web_search', filters: { allowed_domains: domains }, user_location: place }];
    expect(fromResponses({ tools, max_tool_calls: 2 }, 'messages')).toEqual({
      tools: [
        {
          type: 'web_search_20250305',
          name: 'web_search',
          max_uses: 2,
          allowed_domains: domains,
          user_location: place,
        },
      ],
    });
    const both = { allowed_domains: domains, blocked_domains: ['x.example'] };
    expect(() => fromResponses({ tools: [{ ...search, filters: both }] }, 'messages')).toThrow('both held');
  });

  test('is chosen by its name', () => {
    const asked = { tools: [search], tool_choice: search };
    expect(fromResponses(asked, 'messages')['tool_choice']).toEqual({ type: 'tool', name: 'web_search' });
    expect(fromResponses(asked, 'google')).toEqual({ tools: [{ googleSearch: {} }] });
    expect(() => fromResponses({ tools: [find], tool_choice: search }, 'messages')).toThrow('tool_choice');
  });

  test('is another than a function of the same name', () => {
    const asked = { tools: [search, find], tool_choice: { type: 'function', name: 'web_search' } };
    expect(fromResponses(asked, 'chat')['tool_choice']).toEqual({
      type: 'function',
      function: { name: 'web_search' },
    });
  });
});
