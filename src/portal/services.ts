/** What the pages work with; main composes it. */
import type { BlockList } from 'node:net';
import type { ByteBudget } from '../base/byte-budget.ts';
import type { Deadlines } from '../base/deadlines.ts';
import type { Envelope } from '../base/envelope.ts';
import type { Log } from '../base/log.ts';
import type { Catalogue } from '../catalogue/index.ts';
import type { IdentityProvider } from '../configuration/index.ts';
import type { AgreeingParts, Caller, ResellerHosts } from '../identity/index.ts';
import type { BalanceLevels, Wallets } from '../ledger/index.ts';
import type { Limiter } from '../limits/index.ts';
import type { KeptMails, MailQueue, WebhookNetwork } from '../notifications/index.ts';
import type { UsageRecord } from '../usage/index.ts';
import type { LegalTexts } from './legal/legal-texts.ts';

/** One request that never changes, through the gateway to the simulator, for whoever looks at the start page. */
export interface DemonstrationService {
  /** False where no chat model of the simulator is configured. */
  readonly isOffered: boolean;
  /** @returns null where it is not offered. The answer is a stream of chat completion events, or a refusal. */
  ask(signal: AbortSignal): Promise<{
    readonly model: string;
    readonly answer: Response;
    /** Asked for once the answer is over: what would be stored of it; null when that is not known in time. */
    readonly record: () => Promise<UsageRecord | null>;
  } | null>;
}

/** A prompt from a page, through the gateway, as a request of whoever is signed in. */
export interface TrialService {
  /** @returns a stream of chat completion events, or a refusal as the gateway writes it. */
  ask(asked: {
    readonly asker: {
      readonly userId: number;
      readonly payerId: number;
      readonly organisationId: number | null;
      readonly departmentId: number | null;
      readonly billingExempt: boolean;
      readonly dataLocks: Caller['dataLocks'];
      readonly userLimits: Caller['userLimits'];
    };
    readonly model: string;
    readonly prompt: string;
    readonly maxTokens: number;
    readonly signal: AbortSignal;
  }): Promise<Response>;
}

export interface PortalServices extends AgreeingParts {
  /** What bodies of requests may hold, in the whole process. */
  readonly bodies: ByteBudget;
  /** Seals what is kept in a browser, and secrets at rest. */
  readonly envelope: Envelope;
  readonly deadlines: Deadlines;
  readonly wallets: Pick<Wallets, 'available'>;
  /** Below which a balance is told to be low, by mail and on the overview alike. */
  readonly lowBalance: BalanceLevels;
  readonly catalogue: Pick<Catalogue, 'current' | 'findPriceVersion'>;
  readonly limiter: Pick<Limiter, 'stateOf'>;
  /** What every API token of this service begins with, separator included. */
  readonly tokenPrefix: string;
  readonly mail: MailQueue;
  /** Where webhooks may lead, and how names are looked up. */
  readonly webhookNetwork: WebhookNetwork;
  readonly legal: LegalTexts;
  /** Null where no gateway runs beside the pages. */
  readonly demonstration: DemonstrationService | null;
  /** Null where no gateway runs beside the pages. */
  readonly trial: TrialService | null;
  /** The descriptions (OpenAPI) of the faces beside this one. */
  readonly descriptions: Readonly<Record<'gateway' | 'account', Readonly<Record<string, unknown>>>>;
  /** Null where mails go to a server. */
  readonly keptMails: Pick<KeptMails, 'list' | 'read'> | null;
  /** In the order of the configuration. */
  readonly identityProviders: readonly IdentityProvider[];
  readonly resellerHosts: Pick<ResellerHosts, 'find'>;
  readonly log: Log;
  /** Aborted when this process lets what is under way end: what goes on by itself ends then. */
  readonly stopping: AbortSignal;
  /** Where people reach this service, when that is not where this process listens: a proxy that ends TLS. */
  readonly publicUrl: string | null;
  /** The proxies in front that are believed about whom they speak for. */
  readonly trustedProxies: BlockList;
  /** Serves the pages under `/dev`, which show what only its developers need. */
  readonly isDevelopment: boolean;
}
