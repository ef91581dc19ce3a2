/** An account-bound service for tests: responses behind OAuth, whose access tokens end and whose refresh tokens work once. */

export interface AccountCall {
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyText: string;
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal;
}

const requestsPath = '/backend/responses';
const tokenPath = '/oauth/token';

export class AccountService {
  /** Calls for responses, those it refused included. */
  readonly calls: AccountCall[] = [];
  /** How often somebody asked for new tokens, and how often in vain. */
  renewals = 0;
  refusedRenewals = 0;
  /** Tokens are not renewed meanwhile. */
  isDown = false;
  /** The refresh token does not work any more: people must sign in anew. */
  isWithdrawn = false;
  /** To a call that is let in. */
  answer: () => Response = () => eventStream(spokenFrames('Hello.'));
  readonly #server: ReturnType<typeof Bun.serve>;
  /** How often the tokens were renewed; each pair is another. */
  #generation = 0;
  #isRevoked = false;

  constructor() {
    this.#server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      idleTimeout: 0,
      fetch: (request) => this.#serve(request),
    });
  }

  /** Its row in a configuration file; the credential is the one in force now. */
  provider(name: string, { expiresInSeconds = 3600 }: { expiresInSeconds?: number } = {}): object {
    const origin = `http://127.0.0.1:${this.#server.port}`;
    const secret = {
      access_token: this.accessToken,
      refresh_token: this.#refreshToken,
      account_id: accountId,
      expires_at: Math.floor(Date.now() / 1000) + expiresInSeconds,
    };
    return {
      name,
      kind: 'native',
      base_url: `${origin}/backend`,
      settings: {
        token_url: `${origin}${tokenPath}`,
        client_id: 'sluice-tests',
        headers: { originator: 'sluice_tests', 'openai-beta': 'responses=experimental' },
      },
      credentials: [{ name: 'account', api_key: JSON.stringify(secret) }],
    };
  }

  /** The access token stops working before its time. */
  revoke(): void {
    this.#isRevoked = true;
  }

  stop(): Promise<void> {
    return this.#server.stop(true);
  }

  get accessToken(): string {
    return tokenOf('access', this.#generation);
  }

  get #refreshToken(): string {
    return tokenOf('refresh', this.#generation);
  }

  async #serve(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === tokenPath) return this.#renew(new URLSearchParams(await request.text()));
    if (pathname !== requestsPath) return Response.json({ detail: 'Not Found' }, { status: 404 });
    const headers = Object.fromEntries(request.headers);
    this.calls.push({ headers, bodyText: await request.text(), signal: request.signal });
    const isKnown = headers['authorization'] === `Bearer ${this.accessToken}` && !this.#isRevoked;
    if (isKnown && headers['chatgpt-account-id'] === accountId) return this.answer();
    return Response.json({ detail: `${headers['authorization']} is not let in` }, { status: 401 });
  }

  async #renew(form: URLSearchParams): Promise<Response> {
    this.renewals += 1;
    // Long enough that whoever asks at the same time asks before the answer.
    await Bun.sleep(50);
    if (this.isDown) return new Response('Bad Gateway', { status: 502 });
    const isKnown = form.get('refresh_token') === this.#refreshToken && !this.isWithdrawn;
    if (!isKnown || form.get('client_id') !== 'sluice-tests') {
      this.refusedRenewals += 1;
      return Response.json({ error: 'invalid_grant' }, { status: 400 });
    }
    this.#generation += 1;
    this.#isRevoked = false;
    return Response.json({
      access_token: this.accessToken,
      refresh_token: this.#refreshToken,
      token_type: 'Bearer',
      expires_in: 3600,
    });
  }
}

/** As long as real ones are, which is how they are known where somebody quotes them. */
const tokenOf = (name: string, generation: number): string =>
  `${name}-${String(generation).padStart(40, '0')}`;
export const accountId = '3f2b8c1e-0017-4d5a-9b6e-7c8d9e0f1a2b';
export const spokenUsage = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 40 },
  output_tokens: 9,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 109,
};

/** The frames of an answer, with what a careful relay must not lose: a comment, an unknown event, a big integer. */
export function spokenFrames(text: string): readonly string[] {
  const events = [
    ['response.created', '{"response":{"id":"resp_1","status":"in_progress","output":[]}}'],
    ['response.rate_hint', '{"left": 12345678901234567890, "share":1.0}'],
    ['response.output_item.added', '{"output_index":0,"item":{"id":"m","type":"message","content":[]}}'],
    ...text
      .split(/(?=\s)/)
      .map((delta) => ['response.output_text.delta', `{"item_id":"m","delta":${JSON.stringify(delta)}}`]),
    ['response.output_text.done', `{"item_id":"m","text":${JSON.stringify(text)}}`],
    ['response.completed', `{"response":{"id":"resp_1","usage":${JSON.stringify(spokenUsage)}}}`],
  ];
  const frames = events.map(
    ([type, fields = '{}'], index) =>
      `event: ${type}\ndata: {"type":"${type}", "sequence_number":${index},${fields.slice(1)}\n\n`,
  );
  return [': as it began\n\n', ...frames];
}

/** @param pauseMs before each frame but the first. */
export function eventStream(frames: readonly (string | Uint8Array)[], pauseMs = 0): Response {
  const encoder = new TextEncoder();
  let next = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const frame = frames[next];
      if (next > 0 && pauseMs > 0) await Bun.sleep(pauseMs);
      next += 1;
      if (frame === undefined) controller.close();
      else controller.enqueue(typeof frame === 'string' ? encoder.encode(frame) : frame);
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}
