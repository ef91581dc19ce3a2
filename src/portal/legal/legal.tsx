/** `/legal/…`: the eight texts, each with its version and the day from which it holds. */
import { raw } from 'hono/html';
import { legalWords } from '../languages/legal/index.ts';
import { publicLayout, publicPage } from '../public/public-route.ts';
import type { Asked, Route } from '../route.ts';
import { Callout } from '../ui/callout.tsx';
import { renderPage } from '../ui/document.tsx';
import { useSpeech, useWords } from '../ui/speech.tsx';
import { visitOf, wordsFor } from '../visit.ts';
import { type LegalName, type LegalText, legalNames } from './legal-texts.ts';

const pages: readonly { readonly name: LegalName; readonly summary: string }[] = [
  { name: 'terms', summary: 'The terms of service' },
  { name: 'aup', summary: 'What the service may be used for' },
  { name: 'privacy', summary: 'What is known of people, and why' },
  { name: 'cookies', summary: 'Which cookies are set' },
  { name: 'dpa', summary: 'The agreement on processing data for customers' },
  { name: 'refund', summary: 'When money is given back' },
  { name: 'billing', summary: 'How requests are charged' },
  { name: 'security', summary: 'How the service is secured, as a text to agree on' },
];

export const legalRoutes: readonly Route[] = pages.map(({ name, summary }) =>
  publicPage({ path: `/legal/${name}`, summary, handle: (asked) => showText(asked, name) }),
);

function showText({ context, services, session }: Asked, name: LegalName): Promise<Response> {
  const text = services.legal.find(name, visitOf(context).language);
  const { description } = wordsFor(context, legalWords);
  return renderPage(context, {
    title: text.title,
    description: description(text.title, visitOf(context).brand.name),
    layout: publicLayout(session),
    content: <Text text={text} name={name} />,
  });
}

function Text({ text, name }: { readonly text: LegalText; readonly name: LegalName }) {
  const words = useWords(legalWords);
  const { language, figures } = useSpeech();
  return (
    <div class="legal">
      <nav aria-label={words.all}>
        <ul>
          {legalNames.map((each) => (
            <li>
              <a href={`/legal/${each}`} {...(each === name ? { 'aria-current': 'page' } : {})}>
                {words.names[each]}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <article>
        <h1 lang={text.language}>{text.title}</h1>
        <p class="quiet">{words.version(text.version, figures.day(new Date(`${text.date}T00:00:00Z`)))}</p>
        {text.isTemplate ? (
          <Callout tone="warn" title={words.template}>
            <p>{words.templateDetail(<code>SLUICE_LEGAL_DIR</code>)}</p>
          </Callout>
        ) : null}
        {text.language === language ? null : <Callout>{words.otherLanguage}</Callout>}
        <div class="prose" lang={text.language}>
          {raw(text.html)}
        </div>
      </article>
    </div>
  );
}
