/** The texts that somebody agrees to, as links within a sentence. */
import type { Child } from 'hono/jsx';
import { accountsWords } from '../languages/accounts/index.ts';
import { useWords } from '../ui/speech.tsx';

export function LegalLinks({ say }: { readonly say: (terms: Child, use: Child, privacy: Child) => Child[] }) {
  const { termsLink, useLink, privacyLink } = useWords(accountsWords).signup;
  return (
    <>
      {say(
        <a class="link" href="/legal/terms" target="_blank" rel="noopener">
          {termsLink}
        </a>,
        <a class="link" href="/legal/aup" target="_blank" rel="noopener">
          {useLink}
        </a>,
        <a class="link" href="/legal/privacy" target="_blank" rel="noopener">
          {privacyLink}
        </a>,
      )}
    </>
  );
}
