/** The loop that sends what waits for webhooks; any number of processes may run it on one database. */
import type { Envelope } from '../base/envelope.ts';
import { describeThrown } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { AgreeingParts } from '../storage/agreed-time.ts';
import { DueLoop, endWithin, insist } from './due-loop.ts';
import type { Service } from './render-mail.tsx';
import { writeWebhookBody } from './webhook-body.ts';
import { giveDeliveryBack, settleDelivery } from './webhook-deliveries.ts';
import { sendWebhook, type WebhookAnswer, type WebhookNetwork } from './webhook-request.ts';
import { readPreviousSecrets, signWebhook } from './webhook-secret.ts';
import { type ClaimedDelivery, deliveryTopic, nextDeliveryDueMs, WebhookTurns } from './webhook-turns.ts';

/** Most of them wait for an answer, and cost a connection. */
const atOnce = 64;
/** As long as a stop waits for requests under way. */
const closingMs = 5000;
/** Between attempts to record what became of a delivery: together with a try they end before a claim does. */
const recordPausesMs = [250, 1000, 5000, 15_000, 30_000];

export interface WebhookSenderParts extends AgreeingParts {
  readonly envelope: Envelope;
  readonly network: WebhookNetwork;
  /** In whose name, and where the links of a message lead. */
  readonly service: Service;
  readonly log: Log;
}

export class WebhookSender {
  readonly #parts: WebhookSenderParts;
  readonly #stopping = new AbortController();
  readonly #turns: WebhookTurns;
  readonly #loop: DueLoop;
  readonly #underWay = new Set<Promise<void>>();

  /** It begins at once. */
  constructor(parts: WebhookSenderParts) {
    this.#parts = parts;
    this.#turns = new WebhookTurns(parts);
    this.#loop = new DueLoop({
      ...parts,
      changes: parts.storage.changes,
      topic: deliveryTopic,
      failure: 'deliveries to webhooks could not be read; it is tried again soon',
      round: (isClosing) => this.#round(isClosing),
    });
  }

  close(limitMs = closingMs): Promise<void> {
    return endWithin(this.#end(), {
      clock: this.#parts.clock,
      limitMs,
      abort: () => this.#stopping.abort(),
    });
  }

  #end(): Promise<void> | undefined {
    const round = this.#loop.stop();
    if (round === undefined && this.#underWay.size === 0) return undefined;
    return (round ?? Promise.resolve()).then(() => Promise.all(this.#underWay)).then(() => undefined);
  }

  /** Takes as many as have a place and waits for none of them: each that ends asks for the next round. */
  async #round(isClosing: () => boolean): Promise<number | null> {
    const { clock } = this.#parts;
    for (;;) {
      const places = atOnce - this.#underWay.size;
      if (isClosing() || places === 0) return null;
      if (this.#underWay.size === 0) {
        const dueMs = await nextDeliveryDueMs(this.#parts, null);
        if (dueMs === null || dueMs > clock.nowMs()) return dueMs;
      }
      const askedAtMs = clock.nowMs();
      const claimed = await this.#turns.claim(places);
      for (const delivery of claimed) this.#begin(delivery);
      if (claimed.length > 0) continue;
      // What was due when it asked and was not taken belongs to owners whose places are all taken: when one of theirs ends,
      // it asks again. So only what has come due since then is looked for.
      return await nextDeliveryDueMs(this.#parts, this.#underWay.size > 0 ? askedAtMs : null);
    }
  }

  #begin(delivery: ClaimedDelivery): void {
    const trying = this.#try(delivery).finally(() => {
      this.#turns.end(delivery);
      this.#underWay.delete(trying);
      this.#loop.wake();
    });
    this.#underWay.add(trying);
  }

  /** It never throws: what cannot be recorded is tried again, as the same message, once its claim has lapsed. */
  async #try(delivery: ClaimedDelivery): Promise<void> {
    const { clock, log } = this.#parts;
    const { signal } = this.#stopping;
    try {
      const answer = await this.#send(delivery);
      // What this process broke off itself says nothing of the receiver, and is no try of it.
      const isBrokenOff = signal.aborted && answer.status === null;
      const record = () =>
        isBrokenOff ? giveDeliveryBack(this.#parts, delivery) : settleDelivery(this.#parts, delivery, answer);
      await insist(record, { clock, pausesMs: recordPausesMs, signal });
    } catch (error) {
      log.error('what became of a delivery to a webhook could not be recorded', {
        detail: describeThrown(error),
      });
    }
  }

  async #send({ id, createdAt, webhook, event, claimedAt }: ClaimedDelivery): Promise<WebhookAnswer> {
    const { clock, network, service } = this.#parts;
    const secrets = await this.#openSecrets(webhook, claimedAt);
    if (secrets === null) return { status: null, durationMs: 0, error: 'could not be signed here' };
    const body = writeWebhookBody(webhook, event, service);
    // The same for every try of it, by which a receiver knows a second copy.
    const messageId = `msg_${createdAt.getTime().toString(36)}_${id}`;
    // By the database's time, as all else here: receivers refuse what is minutes old or to come.
    const atSeconds = Math.floor(claimedAt.getTime() / 1000);
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Sluice-Webhooks/1',
      'webhook-id': messageId,
      'webhook-timestamp': String(atSeconds),
      'webhook-signature': signWebhook(secrets, { id: messageId, atSeconds, body }),
    };
    return await sendWebhook(clock, network, { url: webhook.url, headers, body }, this.#stopping.signal);
  }

  /** Null where one was sealed under another secret of the service, which its owner sees as a try that failed. */
  async #openSecrets(
    { id, sealedSecret, sealedPreviousSecret, previousSecretEndsAt }: ClaimedDelivery['webhook'],
    at: Date,
  ): Promise<readonly string[] | null> {
    const { envelope, log } = this.#parts;
    const isOverlapping = (previousSecretEndsAt?.getTime() ?? 0) > at.getTime();
    const sealed = [sealedSecret, ...(isOverlapping && sealedPreviousSecret ? [sealedPreviousSecret] : [])];
    try {
      return (await Promise.all(sealed.map((each) => envelope.open(each)))).flatMap(readPreviousSecrets);
    } catch (error) {
      log.error('the secret of a webhook could not be opened', {
        detail: `webhook ${id}: ${describeThrown(error)}`,
      });
      return null;
    }
  }
}
