/** GET /developers: the first request in every client that people have, with this address filled in. */
import type { Child } from 'hono/jsx';
import { developersWords } from '../languages/developers/index.ts';
import { offeredModels } from '../model-list/choose-models.ts';
import type { Asked, Route } from '../route.ts';
import { LinkButton } from '../ui/button.tsx';
import { Facts } from '../ui/callout.tsx';
import { CodeSamples, type Sample } from '../ui/code.tsx';
import { renderPage } from '../ui/document.tsx';
import { useWords } from '../ui/speech.tsx';
import { visitOf, wordsFor } from '../visit.ts';
import { publicLayout, publicPage } from './public-route.ts';
import {
  type Aim,
  aiSdkSamples,
  anthropicSamples,
  claudeCodeSample,
  codexSamples,
  langChainSamples,
  openAiSamples,
} from './samples.ts';

export const developerRoutes: readonly Route[] = [
  publicPage({
    path: '/developers',
    summary: 'The first request, in every client',
    handle: showDevelopers,
  }),
];

function showDevelopers(asked: Asked): Promise<Response> {
  const { context, session } = asked;
  const { title, description } = wordsFor(context, developersWords);
  return renderPage(context, {
    title,
    description,
    layout: publicLayout(session),
    content: <Developers aim={aimOf(asked)} />,
  });
}

/** This address, and a chat model that is offered. */
export function aimOf({ context, services }: Asked): Aim {
  const first = offeredModels(services.catalogue.current()).find(({ type }) => type === 'chat');
  return { address: visitOf(context).address, model: first?.publicId ?? 'auto' };
}

function Developers({ aim }: { readonly aim: Aim }) {
  const words = useWords(developersWords);
  const { address } = aim;
  return (
    <div class="developers">
      <div class="public-head">
        <h1>{words.title}</h1>
        <p class="lead">{words.lead}</p>
        <p>{words.token(<code>SLUICE_TOKEN</code>)}</p>
      </div>
      <section class="section" aria-labelledby="addresses">
        <h2 id="addresses">{words.addresses}</h2>
        <Facts
          items={[
            { name: words.forOpenAi, value: <code class="whole">{`${address}/v1`}</code> },
            { name: words.forAnthropic, value: <code class="whole">{address}</code> },
            { name: words.forGemini, value: <code class="whole">{address}</code> },
          ]}
        />
      </section>
      <Way id="openai" name="OpenAI" detail={words.chatDetail} samples={openAiSamples(aim)} />
      <Way id="anthropic" name="Anthropic" detail={words.messagesDetail} samples={anthropicSamples(aim)} />
      <Way id="ai-sdk" name="Vercel AI SDK" detail={words.aiSdk} samples={aiSdkSamples(aim)} />
      <Way id="langchain" name="LangChain" detail={words.langChain} samples={langChainSamples(aim)} />
      <Way id="claude-code" name="Claude Code" detail={words.claudeCode} samples={[claudeCodeSample(aim)]} />
      <Way id="codex" name="Codex" detail={words.codex} samples={codexSamples(aim)} />
      <section class="section" aria-labelledby="next">
        <h2 id="next">{words.next}</h2>
        <ul class="prose">
          {words
            .nextItems(
              <code>x-request-id</code>,
              <code>x-sluice-provider</code>,
              <code>x-sluice-cost-usd</code>,
            )
            .map((item) => (
              <li>{item}</li>
            ))}
        </ul>
        <p>{words.agents}</p>
        <LinkButton href="/api-docs">{words.reference}</LinkButton>
      </section>
    </div>
  );
}

interface WayProps {
  readonly id: string;
  readonly name: string;
  readonly detail: Child;
  readonly samples: readonly [Sample, ...Sample[]];
}

function Way({ id, name, detail, samples }: WayProps) {
  return (
    <section class="way" aria-labelledby={id}>
      <div>
        <h2 id={id}>{name}</h2>
        <p class="quiet">{detail}</p>
      </div>
      <CodeSamples id={id} samples={samples} />
    </section>
  );
}
