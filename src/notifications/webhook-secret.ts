/** Secrets and signatures in the form of Standard Webhooks (https://www.standardwebhooks.com, read 2026-11-22). */
import { createHmac } from 'node:crypto';
import type { Ids } from '../base/ids.ts';

const prefix = 'whsec_';
const secretBytes = 32;

export const newWebhookSecret = ({ randomBytes }: Ids): string =>
  `${prefix}${Buffer.from(randomBytes(secretBytes)).toString('base64')}`;

/** As they are sealed together. */
export const readPreviousSecrets = (opened: string): readonly string[] =>
  opened.split(' ').filter((each) => each !== '');

interface Signed {
  readonly id: string;
  readonly atSeconds: number;
  readonly body: string;
}

/** One for each secret: while one takes another's place, whoever knows either can check. */
export function signWebhook(secrets: readonly string[], { id, atSeconds, body }: Signed): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(prefix.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${atSeconds}.${body}`).digest('base64')}`;
    })
    .join(' ');
}
