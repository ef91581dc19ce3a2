/** The configured identity providers, on the pages where one signs in or makes an account. */
import type { IdentityProvider } from '../../configuration/index.ts';
import { providersWords } from '../languages/providers/index.ts';
import { LinkButton } from '../ui/button.tsx';
import { useWords } from '../ui/speech.tsx';

interface Providers {
  readonly providers: readonly IdentityProvider[];
}

interface ProviderLinksProps extends Providers {
  /** What goes with the way there: where to go on, or the invitation that is followed. */
  readonly query: Readonly<Record<'next', string>> | Readonly<Record<'invite', string>>;
  /** Nothing else is offered before them. */
  readonly isOnly?: boolean;
}

export function ProviderLinks({ providers, query, isOnly = false }: ProviderLinksProps) {
  const { or, goOn } = useWords(providersWords);
  if (providers.length === 0) return null;
  return (
    <div class="providers">
      {isOnly ? null : <p class="small">{or}</p>}
      {providers.map(({ name, label }) => (
        <LinkButton
          href={`/auth/${name}?${new URLSearchParams(query)}`}
          look={isOnly ? 'primary' : 'plain'}
          size="large"
        >
          {goOn(label)}
        </LinkButton>
      ))}
    </div>
  );
}

/** Within the form of a new account, whose consent to the terms they take along; its other fields are not needed. */
export function ProviderButtons({ providers }: Providers) {
  const { or, goOn } = useWords(providersWords);
  if (providers.length === 0) return null;
  return (
    <div class="providers">
      <p class="small">{or}</p>
      {providers.map(({ name, label }) => (
        <button
          type="submit"
          class="button large"
          name="provider"
          value={name}
          formaction="/auth/accept-tos"
          formnovalidate
        >
          {goOn(label)}
        </button>
      ))}
    </div>
  );
}
