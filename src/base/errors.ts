/** The one error type of this service and the one table of its codes. Faces render it; rules only throw it. */

interface ErrorKind {
  /** HTTP status that a face answers with. */
  readonly status: number;
  /** True when the same request can succeed later without anyone changing anything. */
  readonly retryable: boolean;
}

const kind = (status: number, retryable = false): ErrorKind => ({ status, retryable });

/** Every code that can leave the system: what clients see, so that a status once given to a code stays with it. */
export const errorKinds = {
  malformed_json: kind(400),
  unsupported_content_type: kind(400),
  invalid_parameter: kind(400),
  malformed_request: kind(400),
  upstream_refused_request: kind(400),
  content_filtered: kind(400),
  context_length_exceeded: kind(400),
  not_signed_in: kind(401),
  wrong_credentials: kind(401),
  wrong_code: kind(401),
  first_step_over: kind(401),
  missing_token: kind(401),
  invalid_token: kind(401),
  token_expired: kind(401),
  token_revoked: kind(401),
  insufficient_funds: kind(402),
  budget_exceeded: kind(402),
  account_suspended: kind(403),
  account_archived: kind(403),
  email_unverified: kind(403),
  terms_not_accepted: kind(403),
  sign_in_elsewhere: kind(403),
  cross_site: kind(403),
  proof_needed: kind(403),
  not_allowed: kind(403),
  scope_missing: kind(403),
  model_not_allowed: kind(403),
  provider_not_allowed: kind(403),
  region_not_allowed: kind(403),
  data_policy_not_allowed: kind(403),
  model_unpriced: kind(403),
  not_found: kind(404),
  model_not_found: kind(404),
  preferences_unmet: kind(404),
  method_not_allowed: kind(405),
  not_acceptable: kind(406),
  conflict: kind(409),
  request_under_way: kind(409, true),
  upstream_state_gone: kind(409),
  link_over: kind(410),
  request_timeout: kind(408, true),
  body_too_large: kind(413),
  validation_failed: kind(422),
  idempotency_key_reused: kind(422),
  rate_limited: kind(429, true),
  client_closed: kind(499),
  internal_error: kind(500, true),
  upstream_unreachable: kind(502, true),
  upstream_failed: kind(502, true),
  upstream_invalid_answer: kind(502, true),
  upstream_rejected_credentials: kind(502),
  upstream_model_unavailable: kind(502),
  upstream_overloaded: kind(503, true),
  upstream_rate_limited: kind(503, true),
  upstream_quota_spent: kind(503),
  no_provider: kind(503),
  accounting_unavailable: kind(503, true),
  identity_provider_unavailable: kind(503, true),
  database_unavailable: kind(503, true),
  shutting_down: kind(503, true),
  server_busy: kind(503, true),
  upstream_timeout: kind(504, true),
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errorKinds;

/** One field that failed validation. */
export interface FieldIssue {
  /** Path to the field, outermost first, as in `['messages', 0, 'role']`. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

type ErrorMember = string | number | null;
/** Flat, or one level deep where several members tell of one thing. */
export type ErrorMembers = Readonly<Record<string, ErrorMember | Readonly<Record<string, ErrorMember>>>>;

export interface AppErrorDetail {
  readonly code: ErrorCode;
  /** Shown to the caller, up to 4,000 characters: what was wrong, where, and what to do. Never a secret or another tenant's data. */
  readonly public: string;
  /** For the log only. */
  readonly internal?: string;
  readonly cause?: unknown;
  /** The request parameter at fault, dotted, when there is exactly one. */
  readonly param?: string;
  readonly fields?: readonly FieldIssue[];
  /** Which rule refused, where its code is that of many: the portal has words for it in each language. */
  readonly reason?: string;
  readonly retryAfterSeconds?: number;
  /** Where it is another than the code's. */
  readonly retryable?: boolean;
  /** What programs can go by: a face writes them beside the message, under these names. */
  readonly members?: ErrorMembers;
}

/** What callers and providers wrote is quoted in some, and has no bound of its own. */
const mostPublicCharacters = 4000;

export class AppError extends Error {
  readonly code: ErrorCode;
  readonly internal: string | undefined;
  readonly param: string | undefined;
  readonly fields: readonly FieldIssue[];
  readonly reason: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly retryable: boolean;
  readonly members: ErrorMembers | undefined;

  constructor(detail: AppErrorDetail) {
    super(
      detail.public.slice(0, mostPublicCharacters),
      detail.cause === undefined ? undefined : { cause: detail.cause },
    );
    this.name = 'AppError';
    this.code = detail.code;
    this.internal = detail.internal;
    this.param = detail.param;
    this.fields = detail.fields ?? [];
    this.reason = detail.reason;
    this.retryAfterSeconds = detail.retryAfterSeconds;
    this.retryable = detail.retryable ?? errorKinds[detail.code].retryable;
    this.members = detail.members;
  }

  get status(): number {
    return errorKinds[this.code].status;
  }
}

/** Any thrown value as an AppError; what is not one is our own fault and tells the caller nothing. */
export function asAppError(thrown: unknown): AppError {
  const cause = withoutQuery(thrown);
  if (cause instanceof AppError) return cause;
  return new AppError({
    code: 'internal_error',
    public: 'Something went wrong on our side. Try again; if it goes on, give us the request id.',
    internal: describeThrown(thrown),
    cause,
  });
}

/** For the log: the message, with the code that a database or the system gave it; never a query's parameters. */
export function describeThrown(thrown: unknown): string {
  const bare = withoutQuery(thrown);
  if (!(bare instanceof Error)) return String(bare);
  if (bare instanceof AppError) return bare.internal ?? bare.message;
  const { message } = bare;
  const code = 'code' in bare && typeof bare.code === 'string' ? `${bare.code}: ` : '';
  // The system's own messages begin with it.
  return message.startsWith(code) ? message : `${code}${message}`;
}

/** What the driver threw: the query builder wraps it in an error whose message and trace hold the query and its parameters. */
export function withoutQuery(thrown: unknown): unknown {
  let bare = thrown;
  while (bare instanceof Error && 'params' in bare) bare = bare.cause ?? 'a query failed without a reason';
  return bare;
}
