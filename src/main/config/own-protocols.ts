/** What OpenAI itself speaks beside chat completions; other hosts of its kind say so in their settings. */

interface ProviderAddress {
  readonly kind: string;
  readonly baseUrl: string | null;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The settings, with both protocols for a provider at OpenAI's own address that does not choose. */
export function withOwnProtocols({ kind, baseUrl, settings }: ProviderAddress): ProviderAddress['settings'] {
  if (kind !== 'openai' || settings['protocols'] !== undefined || !isOwn(baseUrl)) return settings;
  return { ...settings, protocols: ['chat-completions', 'responses'] };
}

/** The host itself, or one for a region. */
const isOwn = (baseUrl: string | null): boolean =>
  baseUrl === null || /(^|\.)api\.openai\.com$/.test(URL.parse(baseUrl)?.hostname ?? '');
