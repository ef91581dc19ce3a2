/**
 * One request that never changes, sent through the whole pipeline to the simulator, for people who look at the start
 * page and have no token. Nobody pays for it, nothing of it is stored, and no other provider can be asked.
 */
import { noLocks } from '../base/data-policy.ts';
import type { Model } from '../catalogue/index.ts';
import { type Caller, keyScopes } from '../identity/index.ts';
import type { UsageRecord } from '../usage/index.ts';
import { chatCompletions } from './endpoints/chat-completions.ts';
import { serve } from './pipeline.ts';
import type { GatewayServices } from './services.ts';
import { Settlement } from './settlement.ts';

export interface Demonstrated {
  readonly model: string;
  /** A stream of chat completion events, with the headers of every answer. */
  readonly answer: Response;
  /** Asked for once the answer is over: what would be stored of it; null when that is not known in time. */
  readonly record: () => Promise<UsageRecord | null>;
}

/** Of all visitors together. */
const mostAMinute = 120;
const mostAtOnce = 8;
/** Usage comes at most this long after the end of an answer. */
const recordWithinMs = 2000;
const question = 'What happens to a request on its way to a model?';

export class Demonstration {
  readonly #services: GatewayServices;
  readonly #awaited = new Map<string, (record: UsageRecord) => void>();

  constructor(services: GatewayServices) {
    const settlement = new Settlement({
      write: async (records) => {
        for (const record of records) {
          this.#awaited.get(record.requestId)?.(record);
          this.#awaited.delete(record.requestId);
        }
      },
      isAboutRecords: () => false,
      clock: services.clock,
      log: services.log,
    });
    this.#services = { ...services, settlement, connections: { hold() {}, release() {} } };
  }

  /** False where no chat model of the simulator is configured. */
  get isOffered(): boolean {
    return this.#model() !== undefined;
  }

  /** @returns null where it is not offered. An answer may be a refusal: 429 while too many look. */
  async ask(signal: AbortSignal): Promise<Demonstrated | null> {
    const model = this.#model();
    if (model === undefined) return null;
    const body = {
      model: model.publicId,
      messages: [{ role: 'user', content: question }],
      stream: true,
      stream_options: { include_usage: true },
    };
    const http = new Request('http://demonstration.invalid/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: 'Bearer demonstration', 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    });
    const callers = { find: () => callerFor(model) };
    const answer = await serve(chatCompletions, { http, parameters: {} }, { ...this.#services, callers });
    return { model: model.publicId, answer, record: this.#recordOf(answer, signal) };
  }

  /** One with a price where there is one, so that there is something to see of its cost. */
  #model(): Model | undefined {
    const models = this.#services.catalogue.current().models.filter(({ type, prices, deployments }) => {
      return type === 'chat' && prices !== null && deployments.some(isSimulated);
    });
    return models.find(({ prices }) => Object.values(prices ?? {}).some((price) => price > 0n)) ?? models[0];
  }

  /** Awaits it from now on, because it may come before it is asked for. */
  #recordOf(answer: Response, signal: AbortSignal): () => Promise<UsageRecord | null> {
    const { promise, resolve } = Promise.withResolvers<UsageRecord>();
    // Nothing is settled of what is refused.
    if (answer.ok) this.#awaited.set(answer.headers.get('x-request-id') ?? '', resolve);
    const { clock } = this.#services;
    return () => Promise.race([promise, clock.sleep(recordWithinMs, signal).then(() => null)]);
  }
}

const isSimulated = ({ provider }: Model['deployments'][number]): boolean => provider.kind === 'simulator';

/** No key of the database has its id. */
function callerFor({ publicId, deployments }: Model): Caller {
  return {
    ...{
      keyId: 0,
      keyName: 'demonstration',
      secretNumber: null,
      secretEndsAtMs: null,
      userId: 0,
      userStatus: 'active',
      payerId: 0,
    },
    ...{ organisationId: null, ownersOrganisationId: null, departmentId: null, projectId: null },
    billingExempt: true,
    scopes: new Set(keyScopes),
    shownToOther: false,
    allowedModels: new Set([publicId]),
    allowedProviders: new Set(deployments.filter(isSimulated).map(({ provider }) => provider.name)),
    allowedRegions: null,
    dataLocks: noLocks,
    keyLimits: { requestsPerMinute: mostAMinute, tokensPerMinute: null, concurrentRequests: mostAtOnce },
    userLimits: null,
    ...{ strictOutput: false, rescue: null },
    ...{ enabled: true, revoked: false, expiresAtMs: null },
  };
}
