/** What of the settings is about mails and webhooks. */
import { join } from 'node:path';
import { systemNames } from '../base/addresses.ts';
import type { MailerSettings, WebhookNetwork } from '../notifications/index.ts';
import type { Environment } from './environment.ts';
import { addressOf } from './http-server.ts';

/** In whose name mails and webhooks speak that nobody's request causes, and where their links lead. */
export function serviceOf({ publicUrl, host, port }: Environment): { name: string; url: string } {
  return { name: 'Sluice', url: (publicUrl ?? addressOf(host, port)).replace(/\/$/, '') };
}

export function webhookNetwork({ areWebhooksPrivate: isPrivateAllowed }: Environment): WebhookNetwork {
  return { isPrivateAllowed, resolve: systemNames };
}

export function mailerSettings({
  smtpUrl,
  smtpConnections: connections,
  mailFrom: from,
  dataDir,
}: Environment): MailerSettings {
  return { smtpUrl, connections, from, folder: join(dataDir, 'mail') };
}
