/** GET /dashboard/guide: from the first request to production, with the reader's address, key and model filled in. */
import type { Child } from 'hono/jsx';
import { onlyOf } from '../../../base/scope.ts';
import { type ApiKey, listLatestKeys } from '../../../identity/index.ts';
import { guideWords } from '../../languages/guide/index.ts';
import { findPayment } from '../../payment.ts';
import {
  type Aim,
  aiSdkSamples,
  anthropicSamples,
  claudeCodeSample,
  codexSamples,
  langChainSamples,
  openAiSamples,
} from '../../public/samples.ts';
import { type Asked, type Route, route } from '../../route.ts';
import { Callout, Facts } from '../../ui/callout.tsx';
import { Code, CodeSamples, type Sample } from '../../ui/code.tsx';
import { renderPage } from '../../ui/document.tsx';
import { wayTo } from '../../ui/navigation.ts';
import { useWords } from '../../ui/speech.tsx';
import { viewerOf } from '../../viewer.ts';
import { visitOf, wordsFor } from '../../visit.ts';
import { keyTerms } from '../keys/key-terms.ts';
import { mayAsk } from '../models/model-choice.ts';
import { usableModels } from '../usable-models.ts';
import {
  errorSamples,
  keySample,
  labelSamples,
  limitSamples,
  protocolSamples,
  streamSamples,
  toolSamples,
} from './guide-samples.ts';

export const guideRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/dashboard/guide',
    summary: 'From the first request to production, with one’s own address, key and model',
    tag: 'Dashboard',
    access: 'member',
    answers: 'page',
    handle: showGuide,
  }),
];

/** One that works is among those that were used last. */
const readKeys = 50;

async function showGuide({ context, services, session }: Asked<'member'>): Promise<Response> {
  const { user } = session;
  const paying = findPayment(user, services);
  const [viewer, payment, keys] = await Promise.all([
    viewerOf(session, services, paying),
    paying,
    listLatestKeys(onlyOf(user.id), services.storage.db, readKeys),
  ]);
  const nowMs = services.clock.nowMs();
  const key = keys.find(({ enabled, expiresAt }) => enabled && (expiresAt?.getTime() ?? nowMs + 1) > nowMs);
  const chat = usableModels(payment, services.catalogue.current()).filter(({ type }) => type === 'chat');
  const terms = key === undefined ? null : await keyTerms(services, key);
  const model = chat.find((each) => key === undefined || terms === null || mayAsk(key, terms, each));
  const { address } = visitOf(context);
  return renderPage(context, {
    title: wordsFor(context, guideWords).title,
    layout: { kind: 'signed-in', viewer },
    content: (
      <Guide
        aim={{ address, model: model?.publicId ?? 'MODEL' }}
        hasModel={model !== undefined}
        apiKey={key}
      />
    ),
  });
}

interface GuideProps {
  readonly aim: Aim;
  readonly hasModel: boolean;
  readonly apiKey: ApiKey | undefined;
}

const sectionIds = [
  ...(['key', 'first', 'protocols', 'streaming', 'tools', 'errors', 'limits', 'sessions'] as const),
  ...(['budgets', 'clients', 'production'] as const),
];

function Guide({ aim, hasModel, apiKey }: GuideProps) {
  const words = useWords(guideWords);
  const { sections } = words;
  const shownToken = apiKey === undefined ? 'sluice_…' : `${apiKey.tokenPrefix}…${apiKey.tokenLastFour}`;
  const bodies: Readonly<Record<(typeof sectionIds)[number], Child>> = {
    key: (
      <>
        <Code code={keySample(shownToken).code} />
        {apiKey === undefined ? (
          <Callout
            action={
              <a class="link" href={wayTo('keys')}>
                {words.makeKey}
              </a>
            }
          >
            {words.noKey}
          </Callout>
        ) : (
          <p class="quiet small">{words.ownKey(<strong>{apiKey.name}</strong>)}</p>
        )}
      </>
    ),
    first: <Samples id="first" samples={openAiSamples(aim)} />,
    protocols: (
      <>
        <Facts items={addressesOf(aim)} />
        <Samples id="protocols" samples={protocolSamples(aim)} />
      </>
    ),
    streaming: <Samples id="streaming" samples={streamSamples(aim)} />,
    tools: <Samples id="tools" samples={toolSamples(aim)} />,
    errors: (
      <>
        <Statuses />
        <Samples id="errors" samples={errorSamples} />
      </>
    ),
    limits: <Samples id="limits" samples={limitSamples(aim)} />,
    sessions: <Samples id="sessions" samples={labelSamples(aim)} />,
    budgets: null,
    clients: (
      <>
        <Samples
          id="clients"
          samples={[
            claudeCodeSample(aim),
            ...codexSamples(aim).map(({ code }) => ({ name: 'Codex', code })),
            ...anthropicSamples(aim)
              .filter(({ name }) => name === 'Python')
              .map(({ code }) => ({ name: 'Anthropic', code })),
            ...aiSdkSamples(aim).slice(0, 1),
            ...langChainSamples(aim)
              .slice(0, 1)
              .map(({ code }) => ({ name: 'LangChain', code })),
          ]}
        />
      </>
    ),
    production: (
      <ul class="guide-list">
        {words.checklist.map((line) => (
          <li>{line}</li>
        ))}
      </ul>
    ),
  };
  return (
    <div class="guide">
      <div class="page-head">
        <h1>{words.title}</h1>
      </div>
      {hasModel ? null : <Callout tone="warn">{words.noModel}</Callout>}
      <div class="guide-parts">
        <nav class="guide-contents" aria-label={words.contents}>
          <ol>
            {sectionIds.map((id) => (
              <li>
                <a class="link" href={`#${id}`}>
                  {sections[id].title}
                </a>
              </li>
            ))}
          </ol>
        </nav>
        <div>
          {sectionIds.map((id) => (
            <section class="section" id={id} aria-labelledby={`${id}-title`}>
              <h2 id={`${id}-title`}>
                <a href={`#${id}`}>{sections[id].title}</a>
              </h2>
              <p>{sections[id].text}</p>
              {bodies[id]}
            </section>
          ))}
        </div>
      </div>
    </div>
  );
}

function Samples({ id, samples }: { readonly id: string; readonly samples: readonly [Sample, ...Sample[]] }) {
  return <CodeSamples id={`guide-${id}`} samples={samples} />;
}

/** Where each kind of client points. */
const addressesOf = ({ address }: Aim) => [
  { name: 'OpenAI', value: <code class="whole">{`${address}/v1`}</code> },
  { name: 'Anthropic', value: <code class="whole">{address}</code> },
  { name: 'Gemini', value: <code class="whole">{address}</code> },
];

function Statuses() {
  const { statuses } = useWords(guideWords);
  return (
    <dl class="statuses">
      {Object.entries(statuses).map(([status, meaning]) => (
        <div>
          <dt class="number">{status}</dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}
