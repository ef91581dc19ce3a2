/** What a native provider's row says of its service. */
import { z } from 'zod';
import { refuseOthers } from '../openai/protocol-settings.ts';

const header = z.string().regex(/^[a-z0-9-]{1,100}$/, 'expected the name of a header in lower case');
const printable = z.string().regex(/^[ -~]{1,500}$/, 'expected printable characters');

const shape = z.strictObject({
  /** Where refresh tokens are exchanged; without it the credential is used until it is refused. */
  token_url: z.url({ protocol: /^https?$/ }).optional(),
  client_id: printable.optional(),
  /** Of the service's identity tokens; the origin of `token_url` when not given. */
  issuer: printable.optional(),
  /** The header that carries the account of the credential. */
  account_header: header.default('chatgpt-account-id'),
  /** Sent with every request: an originator, a beta. */
  headers: z.record(header, printable).default({}),
});

export type NativeSettings = z.output<typeof shape>;

/** @throws Error with a sentence for the operator, which begins with the name of the setting at fault. */
export function readNativeSettings({
  timeoutsMs: _,
  ...settings
}: Readonly<Record<string, unknown>>): NativeSettings {
  refuseOthers(settings, Object.keys(shape.shape));
  const reading = shape.safeParse(settings);
  if (reading.success) return reading.data;
  const [name, ...rest] = reading.error.issues[0]?.path ?? [];
  const within = rest.length === 0 ? '' : `${rest.join('.')}: `;
  throw new Error(`${String(name)}: ${within}${reading.error.issues[0]?.message}`);
}
