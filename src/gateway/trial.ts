/**
 * A prompt that somebody sends from a page of the portal, through the whole pipeline: held, limited, charged and stored
 * like any request of theirs. Their session stands for it in place of a key.
 */
import { type Caller, portalKeyName } from '../identity/index.ts';
import { chatCompletions } from './endpoints/chat-completions.ts';
import { serve } from './pipeline.ts';
import type { GatewayServices } from './services.ts';

/** Who asks, and who pays for it. */
export interface TrialAsker
  extends Pick<
    Caller,
    'userId' | 'payerId' | 'organisationId' | 'departmentId' | 'billingExempt' | 'dataLocks'
  > {
  readonly userLimits: Caller['userLimits'];
}

export interface TrialAsked {
  readonly asker: TrialAsker;
  /** Its public id. */
  readonly model: string;
  readonly prompt: string;
  /** Of the answer, at most. */
  readonly maxTokens: number;
  readonly signal: AbortSignal;
}

/** Of each person. */
const mostAMinute = 12;
const mostAtOnce = 2;

export class Trial {
  readonly #services: GatewayServices;

  constructor(services: GatewayServices) {
    // Its connection is the page's, which the portal looks after.
    this.#services = { ...services, connections: { hold() {}, release() {} } };
  }

  /** @returns a stream of chat completion events, or a refusal as the gateway writes it. */
  ask({ asker, model, prompt, maxTokens, signal }: TrialAsked): Promise<Response> {
    const http = new Request('http://trial.invalid/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: 'Bearer session', 'content-type': 'application/json' },
      body: JSON.stringify({
        model,
        messages: [{ role: 'user', content: prompt }],
        max_tokens: maxTokens,
        stream: true,
        stream_options: { include_usage: true },
      }),
      signal,
    });
    const callers = { find: () => callerFor(asker, model) };
    return serve(chatCompletions, { http, parameters: {} }, { ...this.#services, callers });
  }
}

/** Below zero, so that no key of the database has its id and each person has their own limits. */
function callerFor({ userId, ...asker }: TrialAsker, model: string): Caller {
  return {
    ...asker,
    ...{ keyId: -userId, keyName: portalKeyName, userId, userStatus: 'active', projectId: null },
    ...{ secretNumber: null, secretEndsAtMs: null, ownersOrganisationId: asker.organisationId },
    scopes: new Set(['inference']),
    shownToOther: false,
    allowedModels: new Set([model]),
    ...{ allowedProviders: null, allowedRegions: null },
    keyLimits: { requestsPerMinute: mostAMinute, tokensPerMinute: null, concurrentRequests: mostAtOnce },
    ...{ strictOutput: false, rescue: null },
    ...{ enabled: true, revoked: false, expiresAtMs: null },
  };
}
