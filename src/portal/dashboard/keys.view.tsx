/** A person's API keys, by the parts of their tokens that may be shown. */
import type { ApiKey } from '../../identity/index.ts';
import { CreateKeyCommand } from '../ui/commands.tsx';
import { Moment } from '../ui/figures.tsx';

interface KeysProps {
  readonly keys: readonly ApiKey[];
  readonly ownerEmail: string;
  readonly nowMs: number;
}

export function Keys({ keys, ownerEmail, nowMs }: KeysProps) {
  return (
    <section aria-labelledby="keys">
      <h2 id="keys">API keys</h2>
      {keys.length === 0 ? (
        <NoKeys ownerEmail={ownerEmail} />
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Token</th>
              <th scope="col">State</th>
              <th scope="col" class="number">
                Last used
              </th>
            </tr>
          </thead>
          <tbody>
            {keys.map((key) => (
              <KeyRow key={key.id} apiKey={key} nowMs={nowMs} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function KeyRow({ apiKey, nowMs }: { readonly apiKey: ApiKey; readonly nowMs: number }) {
  const { name, tokenPrefix, tokenLastFour, lastUsedAt } = apiKey;
  return (
    <tr>
      <td class="name">{name}</td>
      <td class="detail">
        <code>
          {tokenPrefix}…{tokenLastFour}
        </code>
      </td>
      <td class="detail">
        <KeyState apiKey={apiKey} nowMs={nowMs} />
      </td>
      <td class="number value">
        {lastUsedAt === null ? <span class="quiet">never</span> : <Moment at={lastUsedAt} nowMs={nowMs} />}
      </td>
    </tr>
  );
}

/** Revoked keys are not listed. */
function KeyState({ apiKey, nowMs }: { readonly apiKey: ApiKey; readonly nowMs: number }) {
  const { enabled, expiresAt } = apiKey;
  if (expiresAt !== null && expiresAt.getTime() <= nowMs) return <span class="state bad">Expired</span>;
  if (!enabled) return <span class="state warn">Disabled</span>;
  if (expiresAt === null) return <span class="state good">Active</span>;
  return (
    <span class="state good">
      Active, expires <Moment at={expiresAt} nowMs={nowMs} />
    </span>
  );
}

function NoKeys({ ownerEmail }: { readonly ownerEmail: string }) {
  return (
    <div class="empty">
      <p>No key yet. Whoever runs this server makes one, and sees its token once:</p>
      <CreateKeyCommand email={ownerEmail} />
    </div>
  );
}
