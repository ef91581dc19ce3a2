/** GET /: what runs here, and the two steps from here. */
import type { Context } from 'hono';
import { publicAddress } from '../address.ts';
import type { PortalServices } from '../services.ts';
import { ListModelsCommand } from '../ui/commands.tsx';
import { renderPage } from '../ui/document.tsx';

export function showLanding(context: Context, services: PortalServices): Response | Promise<Response> {
  return renderPage(context, {
    title: 'An inference gateway',
    content: (
      <Landing
        address={publicAddress(context, services)}
        needsSignIn={context.req.query('sign-in') === 'needed'}
      />
    ),
  });
}

function Landing({ address, needsSignIn }: { readonly address: string; readonly needsSignIn: boolean }) {
  return (
    <>
      <section class="opening">
        {needsSignIn ? (
          <p class="state warn">You are not signed in: the first step below says how</p>
        ) : (
          <p class="state good">Running</p>
        )}
        <h1>One address for every model</h1>
        <p class="lead">
          Sluice stands between your applications and the model providers. It checks who asks, keeps to
          limits, counts every token and takes the cost from a prepaid wallet.
        </p>
        <p>
          <a class="button" href="/dashboard">
            Open the dashboard
          </a>
        </p>
      </section>
      <ol class="steps">
        <li>
          <h2>Sign in</h2>
          <p>
            Starting the server prints a link in its terminal, and{' '}
            <code>{'npx sluice users sign-in-link --owner <e-mail>'}</code> makes another. Open it in this
            browser and press the button: it signs in once, within an hour.
          </p>
        </li>
        <li>
          <h2>Send a request</h2>
          <p>
            Put an API token into the variable <code>SLUICE_TOKEN</code>, then list the models. The first
            start prints a token, and a line that asks a model.
          </p>
          <ListModelsCommand address={address} />
          <p>
            OpenAI clients work as they are, with the base URL <code class="whole">{address}/v1</code>
          </p>
        </li>
      </ol>
    </>
  );
}
