import { describe, expect, test } from 'bun:test';
import { readChatComplaint } from '../protocols/chat-completions/errors.ts';
import { readConverseComplaint } from '../protocols/converse/errors.ts';
import { readGoogleComplaint } from '../protocols/google/errors.ts';
import { readMessagesComplaint } from '../protocols/messages/errors.ts';
import { readResponsesComplaint } from '../protocols/responses/errors.ts';
import type { UpstreamComplaint } from '../protocols/translator.ts';
import { refusalFailure } from './failure.ts';
import { vendorWords } from './vendor-words.ts';

type Read = (body: string) => UpstreamComplaint | null;

/** What they answered, with their accounts made up. */
const xaiFilter = {
  code: 'The caller does not have permission to execute the specified operation',
  error:
    'Content violates usage guidelines. Team: 16f2151a-40f4-4a80-8ad0-cae00c27e8dd, API key ID: 7d39c085-9452-489c-817b-cb0962e335f5, Model: grok-4-0709, Failed check: SAFETY_CHECK_TYPE_BIO',
};
const openRouterFilter = {
  error: {
    message:
      'anthropic/claude-3-5-haiku requires moderation on Amazon Bedrock. Your input was flagged for "violence/graphic". No credits were charged.',
    code: 403,
    metadata: {
      reasons: ['violence/graphic'],
      flagged_input: 'Tell me how',
      provider_name: 'Amazon Bedrock',
    },
  },
};
const google = (message: string, status: string, details: object[] = []) => ({
  error: { code: 400, message, status, details },
});
const anthropic = (message: string) => ({
  type: 'error',
  error: { type: 'invalid_request_error', message },
  request_id: 'req_1',
});
const usageLimits =
  'You have reached your specified API usage limits. You will regain access on 2026-04-01 at 00:00 UTC.';
const creditBalance =
  'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.';
const suspended =
  'Account pollinations is suspended, possibly due to reaching the monthly spending limit or failure to pay past invoices. Please go to https://fireworks.ai/account/billing for more information.';
const groqTooLarge = {
  error: {
    message:
      'Request too large for model `llama-3.1-8b-instant` in organization `org_01hw8f0aa0ekmrn70ffm2zkdv1` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 12328, please reduce your message size and try again. Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing',
    type: 'tokens',
    code: 'rate_limit_exceeded',
  },
};
const openAiTooLarge = {
  error: {
    message:
      'Request too large for gpt-4o in organization org-VDAWofJASuLH0vVz8o9tiQZr on tokens per min (TPM): Limit 30000, Requested 30601. The input or output tokens must be reduced in order to run successfully.',
    type: 'tokens',
    param: null,
    code: 'rate_limit_exceeded',
  },
};
const xaiSpent =
  'Your team 16f2151a-40f4-4a80-8ad0-cae00c27e8dd has either used all available credits or reached its monthly spending limit. To continue making API requests, please purchase more credits or raise your spending limit.';

const failureOf = (status: number, read: Read, body: object, nowMs?: number) =>
  refusalFailure({
    ...{ status, complaint: read(JSON.stringify(body)), secret: 'the secret of the test' },
    ...(nowMs === undefined ? {} : { nowMs }),
  });

const filtered = { code: 'content_filtered', status: 400, blamed: 'nobody', canFailOver: false } as const;
const refused = {
  ...{ code: 'upstream_rejected_credentials', status: 502 },
  ...{ blamed: 'credential', canFailOver: true },
} as const;
const spent = {
  ...{ code: 'upstream_quota_spent', status: 503 },
  ...{ blamed: 'credential', canFailOver: true },
} as const;
const beyondLimit = { code: 'body_too_large', status: 413, blamed: 'nobody', canFailOver: true } as const;

describe('a refusal whose words say something else than its status', () => {
  test.each<[string, number, Read, object, object]>([
    ['xAI’s filter', 403, readChatComplaint, xaiFilter, filtered],
    ['xAI’s filter of a response', 403, readResponsesComplaint, xaiFilter, filtered],
    ['xAI’s filter of messages', 403, readMessagesComplaint, xaiFilter, filtered],
    ['OpenRouter’s filter', 403, readChatComplaint, openRouterFilter, filtered],
    ['OpenRouter’s filter inside an answer', 200, readChatComplaint, openRouterFilter, filtered],
    [
      'OpenRouter’s filter without a word more',
      ...([403, readChatComplaint, { error: { ...openRouterFilter.error, metadata: undefined } }] as const),
      filtered,
    ],
    [
      'OpenRouter’s filter in other words',
      ...([403, readChatComplaint, { error: { ...openRouterFilter.error, message: 'no' } }] as const),
      filtered,
    ],
    [
      'OpenRouter’s guard against injections',
      ...([403, readMessagesComplaint] as const),
      {
        type: 'error',
        error: {
          type: 'permission_error',
          message: 'Request blocked: prompt injection patterns detected',
        },
      },
      filtered,
    ],
    [
      'xAI’s bad key',
      ...([400, readChatComplaint] as const),
      {
        code: 'Client specified an invalid argument',
        error: 'Incorrect API key provided: xa***gA. You can obtain an API key from https://console.x.ai.',
      },
      refused,
    ],
    [
      'Google’s expired key for chats',
      ...([400, readChatComplaint] as const),
      [google('API key expired. Please renew the API key.', 'INVALID_ARGUMENT')],
      refused,
    ],
    [
      'Anthropic’s disabled organisation',
      ...([400, readMessagesComplaint] as const),
      anthropic('This organization has been disabled.'),
      refused,
    ],
    [
      'Google’s wrong place',
      ...([400, readGoogleComplaint] as const),
      google('User location is not supported for the API use.', 'FAILED_PRECONDITION'),
      refused,
    ],
    [
      'Google’s wrong place for chats',
      ...([400, readChatComplaint] as const),
      [google('User location is not supported for the API use.', 'FAILED_PRECONDITION')],
      refused,
    ],
    [
      'Google’s place without a free tier',
      ...([400, readGoogleComplaint] as const),
      google(
        'Gemini API free tier is not available in your country. Please enable billing on your project in Google AI Studio.',
        'FAILED_PRECONDITION',
      ),
      refused,
    ],
    [
      'Bedrock’s expired token',
      ...([403, readConverseComplaint] as const),
      {
        __type: 'com.amazon.coral.service#ExpiredTokenException',
        message: 'The security token included in the request is expired',
      },
      refused,
    ],
    [
      'Bedrock’s unknown key without a type',
      ...([403, readConverseComplaint] as const),
      { message: 'The security token included in the request is invalid.' },
      refused,
    ],
    [
      'Bedrock’s bad API key',
      ...([403, readConverseComplaint] as const),
      { Message: 'Authentication failed: Please make sure your API Key is valid.' },
      refused,
    ],
    ['Anthropic’s limit of usage', 400, readMessagesComplaint, anthropic(usageLimits), spent],
    [
      'Anthropic’s limit of a workspace',
      ...([400, readMessagesComplaint] as const),
      anthropic(usageLimits.replace('API', 'workspace API')),
      spent,
    ],
    [
      'Anthropic’s limit of a tier',
      ...([429, readMessagesComplaint] as const),
      {
        type: 'error',
        error: {
          type: 'rate_limit_error',
          message:
            'You have reached your API usage limits: your organization has crossed its monthly API usage threshold. You will regain access on 2026-09-01 at 00:00 UTC.',
          details: { error_code: 'enforced_spend_limit_reached' },
        },
      },
      spent,
    ],
    ['Anthropic’s empty account', 400, readMessagesComplaint, anthropic(creditBalance), spent],
    [
      'Fireworks’ suspended account',
      ...([412, readChatComplaint] as const),
      { error: { message: suspended, param: null, code: 'PRECONDITION_FAILED', type: 'error' } },
      spent,
    ],
    ['xAI’s empty account', 429, readChatComplaint, { code: 'c', error: xaiSpent }, spent],
    ['xAI’s empty account as no permission', 403, readChatComplaint, { code: 'c', error: xaiSpent }, spent],
    [
      'OpenRouter’s spent key',
      ...([403, readChatComplaint] as const),
      {
        error: {
          message: 'Key limit exceeded (total limit). Manage it using https://openrouter.ai/settings/keys',
          code: 403,
        },
      },
      spent,
    ],
    [
      'OpenAI’s spent project',
      ...([429, readChatComplaint] as const),
      { error: { message: 'no', code: 'project_spend_limit_exceeded' } },
      spent,
    ],
    ['Groq’s request beyond a minute', 413, readChatComplaint, groqTooLarge, beyondLimit],
    ['OpenAI’s request beyond a minute', 429, readChatComplaint, openAiTooLarge, beyondLimit],
    ['OpenAI’s inside an answer', 200, readChatComplaint, openAiTooLarge, beyondLimit],
  ])('%s', (_, status, read, body, meant) => {
    const { error, blamed, canFailOver, toldMs = null, retry } = failureOf(status, read, body);
    expect({ code: error.code, status: error.status, blamed, canFailOver }).toEqual(meant as never);
    expect({ toldMs, retry }).toEqual({ toldMs: null, retry: null });
    expect(error.message).not.toMatch(/16f2151a|7d39c085|pollinations|org_01|org-VD|xa\*\*\*|\bteam\b/i);
  });

  test('a filter tells its reasons where they name nothing of ours', () => {
    const { error } = failureOf(403, readChatComplaint, openRouterFilter);
    expect(error.message).toContain('Your input was flagged for "violence/graphic"');
    expect(error.internal).toBe('upstream status 403: content filter');
    expect(failureOf(403, readChatComplaint, xaiFilter).error.internal).toBe(
      'upstream status 403: content filter',
    );
  });

  test('a renewed key is tried where the key was refused, not where its whole account was', () => {
    const disabled = anthropic('This organization has been disabled.');
    expect(failureOf(400, readMessagesComplaint, disabled)).not.toHaveProperty('isUnauthorised');
    const expired = { __type: 'ExpiredTokenException', message: 'expired' };
    expect(failureOf(403, readConverseComplaint, expired).isUnauthorised).toBe(true);
    const forbidden = { __type: 'AccessDeniedException', message: 'no access' };
    expect(failureOf(403, readConverseComplaint, forbidden)).toMatchObject({ blamed: 'account' });
  });

  test.each([
    ['in a minute and a half', '2026-03-31T23:58:30Z', 90_000, 90],
    ['sooner than we ask again', '2026-03-31T23:59:50Z', 60_000, 60],
    ['in weeks, when somebody may have raised it long before', '2026-03-10T00:00:00Z', 3_600_000, 3600],
    ['in the past', '2026-04-02T00:00:00Z', null, 60],
  ])('a limit that ends %s is waited for', (_, now, toldMs, retryAfterSeconds) => {
    const failure = failureOf(400, readMessagesComplaint, anthropic(usageLimits), Date.parse(now));
    expect(failure).toMatchObject({ toldMs, error: { retryAfterSeconds } });
  });

  test('a date that is none, and one in other words than those of a limit, is none', () => {
    const nowMs = Date.parse('2026-03-31T00:00:00Z');
    const never = anthropic(usageLimits.replace('2026-04-01', '9999-99-99'));
    expect(failureOf(400, readMessagesComplaint, never, nowMs)).toMatchObject({ toldMs: null });
    const other = { error: { message: usageLimits, type: 'rate_limit_error' } };
    expect(failureOf(429, readMessagesComplaint, other, nowMs)).toMatchObject({ toldMs: null });
  });
});

/** As Anthropic and pydantic name a field that they do not know: it is the client who named it. */
const asUnknownField = (name: string) => anthropic(`${name}: Extra inputs are not permitted`);

describe('what a client wrote and a vendor quotes', () => {
  const words = [
    'This organization has been disabled.',
    usageLimits,
    creditBalance,
    'API key not valid. Please pass a valid API key.',
    'API key not valid',
    'Incorrect API key provided: k. You can obtain an API key from https://console.x.ai.',
    'User location is not supported for the API use.',
  ];

  test.each(words)('closes nobody’s account: %s', (name) => {
    const quoted = [
      asUnknownField(name),
      asUnknownField(`${name}\n${name}`),
      anthropic(`messages.0.content: "${name}" is not allowed here`),
      // What is cut off would have shown that it goes on.
      asUnknownField(`${name} ${'a'.repeat(5000)}`),
      asUnknownField(`${name} ${'a'.repeat(1999 - name.length)}`),
      { detail: [{ loc: ['body', name], msg: 'Extra inputs are not permitted', type: 'extra_forbidden' }] },
      { detail: [{ loc: ['body'], msg: name, type: 'insufficient_quota' }] },
      { detail: [{ msg: name, type: 'invalid_api_key' }] },
    ];
    for (const body of quoted) {
      for (const read of [readChatComplaint, readMessagesComplaint, readGoogleComplaint]) {
        for (const status of [400, 422]) {
          expect(failureOf(status, read, body)).toMatchObject({ blamed: 'nobody', canFailOver: false });
        }
      }
    }
  });
});

test('every row says whose words they are, when they were read and where', () => {
  for (const { source, codes, message } of vendorWords) {
    expect(source).toMatch(/^\w.+, 2026-\d\d: \S/);
    expect(codes ?? message).toBeDefined();
    expect(codes ?? []).toEqual((codes ?? []).map((code) => code.toLowerCase()));
    // An end that nobody sees beyond a cut would be the client's choice.
    expect(message?.source ?? '^').toStartWith('^');
    expect(message?.source ?? '').not.toMatch(/(?<!\\)[*+](?!\\)/);
  }
});

test.each([...vendorWords.flatMap(({ message }) => message ?? []).map(({ source }) => source)])(
  'a megabyte like %s is cut before it is compared, and told in a page',
  (source) => {
    const like = source.replaceAll(/[\\^$]|\{[\d,]+\}|\(\?:|\)\??/g, '');
    const page = `${like} `.repeat(1999 / (like.length + 1));
    for (const message of [like.repeat(1_048_576 / like.length), page, `${like} ${'a. '.repeat(600)}`]) {
      const complaint = { message, code: message, type: message, param: null, status: null };
      for (const status of [400, 403, 412, 413, 429, 503]) {
        const { error } = refusalFailure({ status, complaint, secret: null });
        expect(error.message.length).toBeLessThan(1100);
      }
    }
  },
);
