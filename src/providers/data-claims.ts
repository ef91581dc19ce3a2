/**
 * What well-known providers say they do with what their API is sent, where nobody here has said it of a row. Only what
 * their own pages say in so many words, read on the date beside it in stored copies; what a contract changes, and what a
 * page makes depend on the account or the model, is for `data_policy` in the configuration file. Each row is for one
 * host, so that a proxy under the same kind is not taken for it.
 */
import type { DataClaim } from '../base/data-policy.ts';

interface Row {
  readonly host: string;
  readonly claim: DataClaim;
}

const as_of = '2026-11-23';

const rows: readonly Row[] = [
  {
    // Logs against abuse for up to 30 days, and stored responses as long; training only for who opts in.
    host: 'api.openai.com',
    claim: {
      ...{ retention_days: 30, training: false, as_of },
      source: 'https://developers.openai.com/api/docs/guides/your-data',
    },
  },
  {
    // Deleted within 30 days, but for what is flagged as against its usage policy.
    host: 'api.anthropic.com',
    claim: {
      ...{ retention_days: 30, training: false, as_of },
      source:
        'https://privacy.anthropic.com/en/articles/7996866-how-long-do-you-store-personal-data and https://privacy.claude.com/en/articles/7996875-can-you-delete-data-that-i-sent-via-api',
    },
  },
  {
    // Whether it is trained with depends on whether the account pays, which nobody can tell from a key.
    host: 'generativelanguage.googleapis.com',
    claim: {
      ...{ retention_days: 55, as_of },
      source: 'https://ai.google.dev/gemini-api/docs/usage-policies',
    },
  },
];

const byHost = new Map(rows.map(({ host, claim }) => [host, claim]));

/** @param baseUrl where its requests go, its kind's own address included. */
export function knownDataClaim(baseUrl: string | null): DataClaim | null {
  const url = baseUrl === null ? null : URL.parse(baseUrl);
  if (url?.protocol !== 'https:' || url.port !== '') return null;
  return byHost.get(url.hostname) ?? null;
}
