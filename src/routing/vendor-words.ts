/**
 * What vendors mean by refusals whose status means something else, by their own words: one table, looked at ahead of the
 * status. A vendor may quote in its message what a client wrote, and no client is to close an account by that: a message
 * counts by all of itself, or by a beginning that no vendor quotes behind this status.
 */
import type { UpstreamComplaint } from '../protocols/translator.ts';

export type Meaning =
  /** The prompt is what is refused, by everybody's rules: nobody is to blame, and nobody else is asked. */
  | 'filtered'
  /** As 401: the key is wrong, or over. */
  | 'refused_key'
  /** Whose the key is may not ask: another key of the same account would not help, and no renewed one. */
  | 'refused_account'
  /** As 402: people have to pay, or to raise a limit. */
  | 'spent'
  /** The request alone has more than the account may take in a minute; smaller ones still pass. */
  | 'beyond_limit'
  /** The model broke off over what this request is, such as its tools: it may do better, and others are served. */
  | 'broken_off';

export interface VendorWords {
  readonly means: Meaning;
  /** Of the refusal, or what an error inside an answer stands for; any where none is named. */
  readonly statuses?: readonly number[];
  /** Of `code` or `type`, in small letters. */
  readonly codes?: readonly string[];
  /** Bounded everywhere, so that it is over soon for any text. Keys and addresses are gone from the text by then. */
  readonly message?: RegExp;
  /** The vendor's sentence names nothing of ours, so that a client may read it. */
  readonly isTellable?: true;
  /** Whose words they are, when they were read, and where. */
  readonly source: string;
}

export const vendorWords: readonly VendorWords[] = [
  {
    means: 'broken_off',
    // Inside an answer.
    statuses: [502],
    codes: [
      ...['malformed_function_call', 'malformed_response', 'unexpected_tool_call'],
      ...['too_many_tool_calls', 'missing_thought_signature'],
    ],
    source: 'Google, 2026-11: https://ai.google.dev/api/generate-content#FinishReason',
  },
  {
    means: 'filtered',
    statuses: [403],
    message: /^Content violates usage guidelines\./i,
    source: 'xAI, 2026-11: https://github.com/UKGovernmentBEIS/inspect_ai/pull/2267',
  },
  {
    means: 'filtered',
    statuses: [403],
    codes: ['content_filter', 'content_policy_violation'],
    isTellable: true,
    source: 'OpenRouter, 2026-11: https://openrouter.ai/docs/api/reference/errors-and-debugging',
  },
  {
    means: 'filtered',
    statuses: [403],
    message: /^\S{1,200} requires moderation on .{1,100}\. Your input was flagged for /i,
    isTellable: true,
    source: 'OpenRouter, 2026-11: https://openrouter.ai/docs/api/reference/errors-and-debugging',
  },
  {
    means: 'filtered',
    statuses: [403],
    message: /^Request blocked: /i,
    isTellable: true,
    source: 'OpenRouter, 2026-11: https://openrouter.ai/docs/guides/features/guardrails/prompt-injection',
  },
  {
    means: 'refused_key',
    statuses: [400],
    codes: ['invalid_api_key', 'api_key_invalid'],
    source: 'Google, and hosts like OpenAI, 2026-11: https://github.com/google-gemini/gemini-cli/issues/4430',
  },
  {
    means: 'refused_key',
    statuses: [400],
    message: /^API key (?:not valid|not found|expired)\. Please (?:pass a valid|renew the) API key\.$/i,
    source:
      'Google, 2026-11: https://github.com/google-gemini/gemini-cli/issues/4690, https://github.com/Wei-Shaw/sub2api/issues/1709',
  },
  {
    means: 'refused_key',
    statuses: [400],
    message: /^Incorrect API key provided: \S{0,200} You can obtain an API key from \S{1,100}$/i,
    source: 'xAI, 2026-11: https://github.com/openai/codex/issues/1352',
  },
  {
    means: 'refused_key',
    statuses: [400, 403],
    codes: [
      ...['expiredtokenexception', 'unrecognizedclientexception', 'invalidclienttokenid'],
      ...['invalidsignatureexception', 'signaturedoesnotmatch', 'incompletesignature'],
    ],
    source:
      'AWS, 2026-11: https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html, https://docs.aws.amazon.com/bedrock-agentcore-control/latest/APIReference/CommonErrors.html (of all its services) and https://docs.aws.amazon.com/general/latest/gr/signature-v4-troubleshooting.html',
  },
  {
    means: 'refused_key',
    statuses: [403],
    message: /^The security token included in the request is (?:expired|invalid)\.?$/i,
    source:
      'AWS, 2026-11: https://github.com/can1357/oh-my-pi/issues/2931 and https://github.com/anthropics/claude-code/issues/28032',
  },
  {
    means: 'refused_key',
    statuses: [403],
    message: /^Authentication failed: Please make sure your API Key is valid\.$/i,
    source: 'AWS, 2026-11: https://github.com/anomalyco/opencode/issues/47073',
  },
  {
    means: 'refused_account',
    statuses: [400],
    message: /^This organization has been disabled\.$/i,
    source: 'Anthropic, 2026-11: https://github.com/anthropics/claude-code/issues/54311',
  },
  {
    means: 'refused_account',
    statuses: [400],
    message: /^User location is not supported for the API use(?: without a billing account linked)?\.$/i,
    source: 'Google, 2026-11: https://github.com/google-gemini/gemini-cli/issues/1614',
  },
  {
    means: 'refused_account',
    statuses: [400],
    message:
      /^Gemini API free tier is not available in your country\. Please enable billing on your project in Google AI Studio\.$/i,
    source: 'Google, 2026-11: https://github.com/kolbytn/mindcraft/issues/133',
  },
  {
    means: 'spent',
    codes: [
      ...['insufficient_quota', 'billing_hard_limit_reached', 'billing_not_active'],
      ...['credit_balance_exhausted', 'organization_spend_limit_exceeded'],
      ...['project_spend_limit_exceeded', 'organization_usage_limit_exceeded'],
    ],
    source:
      'OpenAI, 2026-11: https://learn.microsoft.com/en-us/microsoft-cloud/dev/dev-proxy/concepts/openai-insufficient-quota',
  },
  {
    means: 'spent',
    codes: ['exceeded_current_quota_error', 'arrearage', 'insufficient_user_quota', 'insufficient_balance'],
    source: 'Moonshot, Alibaba, and hosts and gateways, 2026-11: what they answered',
  },
  {
    means: 'spent',
    statuses: [429],
    codes: ['enforced_spend_limit_reached'],
    source: 'Anthropic, 2026-11: https://platform.claude.com/docs/api/rate-limits',
  },
  {
    means: 'spent',
    statuses: [400],
    message:
      /^You have reached your specified (?:workspace )?API usage limits\.(?: You will regain access on [\d-]{10} at [\d:]{5} UTC\.)?$/i,
    source:
      'Anthropic, 2026-11: https://platform.claude.com/docs/api/rate-limits and https://github.com/anthropics/claude-code/issues/38035',
  },
  {
    means: 'spent',
    statuses: [400],
    message:
      /^Your credit balance is too low to access the .{1,40}\. Please go to Plans & Billing to upgrade or purchase credits\.$/i,
    source: 'Anthropic, 2026-11: https://github.com/anthropics/claude-code/issues/66314',
  },
  {
    means: 'spent',
    statuses: [412],
    message: /^Account (?:\S{1,200} )?is suspended, possibly due to reaching the monthly spending limit\b/i,
    source: 'Fireworks, 2026-11: https://github.com/pollinations/pollinations/issues/12136',
  },
  {
    means: 'spent',
    statuses: [403, 429],
    message:
      /^Your team \S{1,100} has (?:either )?used all available credits or reached its monthly spending limit\./i,
    source:
      'xAI, 2026-11: https://github.com/continuedev/continue/issues/10373 and https://github.com/Anantys-oss/koan/issues/2412',
  },
  {
    means: 'spent',
    statuses: [403],
    message: /^Key limit exceeded(?: \(\w{1,20} limit\))?\. Manage it using \S{1,100}$/i,
    source: 'OpenRouter, 2026-11: https://github.com/MCPJam/inspector/issues/1287',
  },
  {
    means: 'beyond_limit',
    statuses: [413],
    codes: ['rate_limit_exceeded'],
    source: 'Groq, 2026-11: https://github.com/HunorLaczko/ha-groq-cloud-api/issues/27',
  },
  {
    means: 'beyond_limit',
    statuses: [429],
    codes: ['rate_limit_exceeded'],
    message: /^Request too large for /i,
    source: 'OpenAI, 2026-11: https://github.com/DrShushen/climb/issues/13',
  },
];

const ofAnyStatus = vendorWords.filter(({ statuses }) => statuses === undefined);

const byStatus: ReadonlyMap<number, readonly VendorWords[]> = new Map(
  vendorWords
    .flatMap(({ statuses = [] }) => statuses)
    .map((status) => [status, vendorWords.filter(({ statuses }) => statuses?.includes(status))]),
);

/** Longer ones are no words of the table. */
const mostCodeCharacters = 40;

/**
 * @param complaint cleaned of credentials.
 * @param isCut its message went on, so that its end is not the vendor's: a client could have chosen where it is cut.
 * @returns null where the status alone says what is meant.
 */
export function readVendorWords(
  status: number,
  complaint: UpstreamComplaint | null,
  isCut = false,
): VendorWords | null {
  if (complaint === null) return null;
  const said = [lowered(complaint.code), lowered(complaint.type)];
  const message = isCut ? '' : complaint.message.trim();
  const isSaid = ({ codes, message: words }: VendorWords): boolean =>
    (codes === undefined || said.some((code) => codes.includes(code))) &&
    (words === undefined || words.test(message));
  return byStatus.get(status)?.find(isSaid) ?? ofAnyStatus.find(isSaid) ?? null;
}

function lowered(code: string | null): string {
  return code === null || code.length > mostCodeCharacters ? '' : code.toLowerCase();
}

/** What the complaint itself says of how long it goes on, bounded as a header is. */
export function readToldSeconds(
  complaint: UpstreamComplaint | null,
  words: VendorWords | null,
  nowMs = Number.NaN,
): number | undefined {
  if (complaint?.retryAfterSeconds !== undefined) return boundedSeconds(complaint.retryAfterSeconds);
  if (complaint === null || words?.means !== 'spent') return undefined;
  const regainedInMs = readRegainedAtMs(complaint) - nowMs;
  return regainedInMs > 0 ? boundedSeconds(regainedInMs / 1000) : undefined;
}

/**
 * For how long an upstream asks to be left alone, in whole seconds: an hour at most, since it is passed on, and since people
 * may raise a limit long before it is over. Undefined for what is no number.
 */
export function boundedSeconds(seconds: number): number | undefined {
  return Number.isFinite(seconds) ? Math.min(3600, Math.max(1, Math.ceil(seconds))) : undefined;
}

/** Until when Anthropic says that a limit keeps an account out; NaN where it says nothing of it. */
function readRegainedAtMs({ message }: UpstreamComplaint): number {
  const [, day, time] =
    / You will regain access on ([\d-]{10}) at ([\d:]{5}) UTC\.$/.exec(message.trim()) ?? [];
  return Date.parse(`${day}T${time}Z`);
}

/**
 * What the request names is not there, and not the model: `Item with id 'rs_1' not found.` for `input`, as OpenAI says it
 * (read in November 2026, https://github.com/home-assistant/core/issues/150251). No other deployment is at fault for that.
 */
export function isOwnReference(complaint: UpstreamComplaint | null): boolean {
  const { param, code, message = '' } = complaint ?? {};
  if (code === 'model_not_found') return false;
  // LiteLLM's proxy writes the word `None` where it has no field.
  if (param != null && param !== 'None') return param !== 'model';
  return /^(?!.{0,40}\bmodel\b)[A-Z][a-z ]{1,40} with id '[^']{1,300}' not found/i.test(message);
}
