/** GET /: what runs here, and the two steps from here. */
import type { Context } from 'hono';
import { landingWords } from '../languages/landing/index.ts';
import { type Route, route } from '../route.ts';
import { LinkButton } from '../ui/button.tsx';
import { ListModelsCommand } from '../ui/commands.tsx';
import { renderPage } from '../ui/document.tsx';
import { useWords } from '../ui/speech.tsx';
import { State } from '../ui/state.tsx';
import { visitOf, wordsFor } from '../visit.ts';

export const landingRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/',
    summary: 'The home page',
    tag: 'Public pages',
    access: 'anyone',
    answers: 'page',
    handle: ({ context }) => showLanding(context),
  }),
];

function showLanding(context: Context): Promise<Response> {
  const { title, description } = wordsFor(context, landingWords);
  const needsSignIn = context.req.query('sign-in') === 'needed';
  return renderPage(context, {
    title,
    description,
    layout: { kind: 'public' },
    content: <Landing address={visitOf(context).address} needsSignIn={needsSignIn} />,
  });
}

function Landing({ address, needsSignIn }: { readonly address: string; readonly needsSignIn: boolean }) {
  const words = useWords(landingWords);
  return (
    <>
      <section class="hero">
        <div>
          <p>
            <State mood={needsSignIn ? 'warn' : 'good'}>
              {needsSignIn ? words.signInNeeded : words.running}
            </State>
          </p>
          <h1>{words.heading}</h1>
          <p class="lead">{words.lead}</p>
          <LinkButton href="/dashboard" look="primary" size="large">
            {words.open}
          </LinkButton>
        </div>
      </section>
      <ol class="steps">
        <li>
          <h2>{words.signIn}</h2>
          <p>{words.signInHow(<code>{'npx sluice users sign-in-link --owner <e-mail>'}</code>)}</p>
        </li>
        <li>
          <h2>{words.send}</h2>
          <p>{words.sendHow(<code>SLUICE_TOKEN</code>)}</p>
          <ListModelsCommand address={address} />
          <p>{words.baseUrl(<code class="whole">{address}/v1</code>)}</p>
        </li>
      </ol>
    </>
  );
}
