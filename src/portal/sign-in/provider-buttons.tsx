/** The configured identity providers, on the pages where one signs in or makes an account. */
import type { IdentityProvider } from '../../configuration/index.ts';
import { providersWords } from '../languages/providers/index.ts';
import { LinkButton } from '../ui/button.tsx';
import { useWords } from '../ui/speech.tsx';

interface Providers {
  readonly providers: readonly IdentityProvider[];
}

export function ProviderLinks({ providers, next }: Providers & { readonly next: string }) {
  const { or, goOn } = useWords(providersWords);
  if (providers.length === 0) return null;
  return (
    <div class="providers">
      <p class="small">{or}</p>
      {providers.map(({ name, label }) => (
        <LinkButton href={`/auth/${name}?${new URLSearchParams({ next })}`} size="large">
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
