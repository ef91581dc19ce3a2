/** What a variable of the environment may hold, and how it is read; and the usual value of those that are no plain number or text. */
import { z } from 'zod';
import { type VariableKind, wholeNumber } from '../configuration/index.ts';
import { readSender, type Sender } from '../notifications/index.ts';

export const host: VariableKind<string> = {
  expected: 'an address or host name to listen on, such as 127.0.0.1 or 0.0.0.0',
  schema: z.union([z.ipv4(), z.ipv6(), z.hostname()]),
};
export const port = {
  ...wholeNumber('', { from: 0, to: 65_535 }),
  expected: 'a port from 1 to 65535, or 0 for a free one',
};
export const databaseUrl: VariableKind<string> = {
  expected: 'an address such as postgres://user:password@host:5432/database',
  // Not read as a URL: sockets and lists of hosts are addresses too.
  schema: z.string().regex(/^postgres(ql)?:\/\/\S+$/),
  isSecret: true,
};
export const redisUrl: VariableKind<string> = {
  expected: 'an address such as redis://host:6379',
  schema: z.string().regex(/^(rediss?|valkeys?|redis\+unix):\/\/\S+$/),
  isSecret: true,
};
export const secret: VariableKind<string> = {
  expected: 'at least 32 characters that nobody can guess',
  schema: z.string().min(32),
  isSecret: true,
};
export const metricsToken: VariableKind<string> = {
  expected: 'at least 16 characters without spaces that nobody can guess',
  schema: z.string().regex(/^[!-~]{16,}$/),
  isSecret: true,
};
/** The port that Prometheus' exporters of this kind use. */
export const usualMetricsAddress = { host: '127.0.0.1', port: 9464 };
function isUnescapable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
export const smtpUrl: VariableKind<string> = {
  expected:
    'an address such as smtp://user:password@host:587 or smtps://host, with nothing behind host and port and each % of a password as %25',
  // What is no URL at all goes no further: the second check reads it as one.
  schema: z.url({ protocol: /^smtps?$/, abort: true }).refine((text) => {
    const { hostname, pathname, search, hash, username, password } = new URL(text);
    const isAlone = hostname !== '' && pathname.replace('/', '') + search + hash === '';
    return isAlone && [username, password].every(isUnescapable);
  }),
  isSecret: true,
};
export const mailFrom: VariableKind<Sender> = {
  expected: 'an e-mail address, alone or as in Sluice <sluice@example.com>',
  schema: z.string().transform((text, context) => {
    const sender = readSender(text);
    if (sender !== undefined) return sender;
    context.addIssue('no address');
    return z.NEVER;
  }),
};
export const usualMailFrom: Sender = { name: 'Sluice', address: 'sluice@localhost' };
export const proxies: VariableKind<readonly string[]> = {
  expected: 'addresses and networks with commas between them, such as 10.0.0.0/8,192.0.2.7',
  schema: z
    .string()
    .transform((text) => text.split(',').map((range) => range.trim()))
    .pipe(z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]))),
};
export const tokenPrefix: VariableKind<string> = {
  expected: 'up to 20 lower-case letters, digits and underscores, a letter first and an underscore last',
  schema: z.string().regex(/^[a-z][a-z0-9_]{0,18}_$/),
};
export const bytes = wholeNumber('bytes', { from: 1024, to: 1024 ** 3 });
export const budgetBytes = wholeNumber('bytes', { from: 1024, to: 1024 ** 4 });
export const spoolBytes = wholeNumber('bytes', { from: 1024 ** 2, to: 1024 ** 4 });
const dayMs = 86_400_000;
export const timeoutMs = wholeNumber('milliseconds', { from: 1, to: dayMs });
export const keepResponsesMs = wholeNumber('milliseconds', { from: 0, to: dayMs });
export const drainTimeoutMs = wholeNumber('milliseconds', { from: 0, to: dayMs });

export const retentionDays = wholeNumber('days', { from: 1, to: 36_500 });
export const unverifiedDays = wholeNumber('days', { from: 0, to: 36_500 });
