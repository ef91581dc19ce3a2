/** GET /: what this is in one screen, a request as it is recorded, figures with their date, and how to begin. */
import type { CatalogueSnapshot } from '../../catalogue/index.ts';
import { landingWords } from '../languages/landing/index.ts';
import { offeredModels } from '../model-list/choose-models.ts';
import type { Asked, Route } from '../route.ts';
import { LinkButton } from '../ui/button.tsx';
import { CodeSamples } from '../ui/code.tsx';
import { renderPage } from '../ui/document.tsx';
import { Figures } from '../ui/figure.tsx';
import { Icon, type IconName } from '../ui/icon.tsx';
import { useSpeech, useWords } from '../ui/speech.tsx';
import { wordsFor } from '../visit.ts';
import bench from './bench-figures.json';
import { aimOf } from './developers.tsx';
import { addedMs, ExampleRequest } from './example-request.tsx';
import { publicLayout, publicPage } from './public-route.ts';
import { type Aim, claudeCodeSample, openAiSamples } from './samples.ts';

export const homeRoutes: readonly Route[] = [
  publicPage({ path: '/', summary: 'The home page', handle: showHome }),
];

function showHome(asked: Asked): Promise<Response> {
  const { context, session } = asked;
  const { title, description } = wordsFor(context, landingWords);
  return renderPage(context, {
    title,
    description,
    layout: publicLayout(session),
    islands: ['live-request'],
    content: (
      <Home
        aim={aimOf(asked)}
        isSignedIn={session !== null}
        isLive={asked.services.demonstration?.isOffered === true}
        {...countOffers(asked.services.catalogue.current())}
      />
    ),
  });
}

interface Offers {
  readonly models: number;
  readonly providers: number;
}

interface HomeProps extends Offers {
  readonly aim: Aim;
  readonly isSignedIn: boolean;
  /** Whether a visitor can send a request of their own. */
  readonly isLive: boolean;
}

function countOffers(snapshot: CatalogueSnapshot): Offers {
  const models = offeredModels(snapshot);
  const providers = new Set(
    models.flatMap(({ deployments }) => deployments.map(({ provider }) => provider.id)),
  );
  return { models: models.length, providers: providers.size };
}

function Home({ aim, isSignedIn, isLive, models, providers }: HomeProps) {
  const words = useWords(landingWords);
  const { frame } = useSpeech().common;
  return (
    <div class="home">
      <section class="hero">
        <div>
          <h1>{words.heading}</h1>
          <p class="lead">{words.lead(words.models(models), words.providers(providers))}</p>
          <p class="row">
            <LinkButton href={isSignedIn ? '/dashboard' : '/signup'} look="primary" size="large">
              {isSignedIn ? frame.openDashboard : frame.createAccount}
            </LinkButton>
            <LinkButton href="/developers" size="large">
              {words.docs}
            </LinkButton>
          </p>
        </div>
        <CodeSamples id="first" samples={[...openAiSamples(aim), claudeCodeSample(aim)]} />
      </section>
      <ExampleRequest isLive={isLive} />
      <Measured />
      <section aria-labelledby="what">
        <h2 id="what" class="big">
          {words.what}
        </h2>
        <ul class="offers">
          {offers.map(([icon, key, href]) => (
            <li>
              <Icon name={icon} size={20} />
              <h3>
                <a href={href}>{words.offers[key].name}</a>
              </h3>
              <p>{words.offers[key].text}</p>
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="run">
        <h2 id="run" class="big">
          {words.run}
        </h2>
        <ol class="steps">
          <li>
            <h3>{words.signIn}</h3>
            <p>{words.signInHow(<code>{'npx sluice users sign-in-link --owner <e-mail>'}</code>)}</p>
          </li>
          <li>
            <h3>{words.send}</h3>
            <p>{words.sendHow(<code>SLUICE_TOKEN</code>)}</p>
            <p>{words.baseUrl(<code class="whole">{aim.address}/v1</code>)}</p>
          </li>
        </ol>
      </section>
    </div>
  );
}

const offers = [
  ['waypoints', 'protocols', '/features'],
  ['refresh-cw', 'failover', '/features'],
  ['wallet', 'wallet', '/pricing'],
  ['key-round', 'keys', '/controls'],
  ['receipt', 'record', '/features'],
  ['shield-check', 'privacy', '/security'],
] as const satisfies readonly (readonly [IconName, string, string])[];

function Measured() {
  const words = useWords(landingWords).measured;
  const { figures } = useSpeech();
  const day = figures.day(new Date(`${bench.measuredOn}T00:00:00Z`));
  return (
    <section class="measured" aria-label={words.title}>
      <Figures
        figures={[
          { name: words.added, value: figures.decimal(addedMs, 1), unit: 'ms' },
          { name: words.rate, value: figures.count(bench.requestsPerSecond) },
          { name: words.memory, value: figures.count(bench.memoryMiB), unit: 'MiB' },
          { name: words.contents, value: figures.count(0) },
        ]}
      />
      <p class="quiet small">{words.source(day, figures.count(bench.cores))}</p>
    </section>
  );
}
