/** What goes on beside requests, in processes that do the jobs: mails are sent, and what grows or ends is looked after. */
import type { Clock } from '../base/clock.ts';
import type { Envelope } from '../base/envelope.ts';
import { systemIds } from '../base/ids.ts';
import { closeKeepers } from '../base/keeper.ts';
import type { Log } from '../base/log.ts';
import { expiredKeeper, expiryKeeper, unverifiedKeeper } from '../identity/index.ts';
import { balanceKeeper, budgetKeeper, promotionKeeper, thresholdKeeper } from '../ledger/index.ts';
import { EventSpreader, MailSender, type Outbox, openMailer, WebhookSender } from '../notifications/index.ts';
import { dataExportKeeper } from '../portal/index.ts';
import { tokenLogKeeper } from '../routing/index.ts';
import type { Storage } from '../storage/index.ts';
import { partitionKeeper, providerWatch, rollupKeeper, settlingKeeper } from '../usage/index.ts';
import type { Environment } from './environment.ts';
import { mailerSettings, serviceOf, webhookNetwork } from './notification-settings.ts';

interface KeepersParts {
  readonly environment: Environment;
  readonly storage: Storage;
  readonly envelope: Envelope;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly log: Log;
}

/** So that a stop takes no longer than `docs/production.md` tells whoever stops processes to wait. */
const closingMs = 7_000;

/** They begin at once. Any number of processes may have them on one database. */
export function openKeepers({ environment, storage, envelope, outbox, clock, log }: KeepersParts): {
  /** Waits for what is under way, though not for as long as a database may be silent: the next process does that anew. */
  close(): Promise<void>;
} {
  const parts = { storage, clock, ids: systemIds, log };
  const { usagePartitions: settings, unverifiedRetentionDays: afterDays } = environment;
  const mailer = openMailer(mailerSettings(environment));
  const open = [
    new MailSender({
      ...{ outbox, mailer, clock, log },
      changes: storage.changes,
      atOnce: environment.smtpConnections,
    }),
    new EventSpreader(parts),
    new WebhookSender({
      ...{ ...parts, envelope },
      network: webhookNetwork(environment),
      service: serviceOf(environment),
    }),
    balanceKeeper({ ...parts, levels: environment.lowBalance }),
    thresholdKeeper(parts),
    expiryKeeper(parts),
    providerWatch(parts),
    promotionKeeper(parts),
    budgetKeeper(parts),
    partitionKeeper({ ...parts, settings }),
    unverifiedKeeper({ ...parts, afterDays }),
    expiredKeeper(parts),
    rollupKeeper(parts),
    settlingKeeper(parts),
    tokenLogKeeper({ ...parts, keptDays: environment.tokenLogDays }),
    dataExportKeeper(parts),
  ];
  return {
    close: () => closeKeepers(open, { clock, limitMs: closingMs }),
  };
}
