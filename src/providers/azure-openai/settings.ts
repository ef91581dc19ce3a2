/** What a row of an Azure resource says beside its address. */
import { z } from 'zod';
import { refuseOthers } from '../openai/protocol-settings.ts';

type Settings = Readonly<Record<string, unknown>>;

const datedVersion = z.string().regex(/^\d{4}-\d{2}-\d{2}(-preview)?$/);
const auths = z.enum(['api-key', 'bearer']);

interface AzureSettings {
  /** Null: the interface without dated versions. */
  readonly apiVersion: string | null;
  /** `bearer`: the credential is a token of Entra. */
  readonly auth: z.output<typeof auths>;
}

export function readAzureSettings(settings: Settings): AzureSettings {
  return {
    apiVersion: datedVersion.safeParse(settings['api_version']).data ?? null,
    auth: auths.safeParse(settings['auth']).data ?? 'api-key',
  };
}

/** @throws Error with a sentence for the operator. */
export function checkAzureSettings(settings: Settings): void {
  refuseOthers(settings, ['protocols', 'api_version', 'auth']);
  if (!datedVersion.optional().safeParse(settings['api_version']).success) {
    throw new Error('api_version: expected a date such as 2024-10-21 or 2025-04-01-preview');
  }
  if (!auths.optional().safeParse(settings['auth']).success) {
    throw new Error(`auth: expected ${auths.options.join(' or ')}`);
  }
}
