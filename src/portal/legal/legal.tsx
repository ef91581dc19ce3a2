/** `/legal/…`: the eight texts, each with its version and the day from which it holds. */
import { raw } from 'hono/html';
import { legalWords } from '../languages/legal/index.ts';
import { type Asked, type Route, route } from '../route.ts';
import { Callout } from '../ui/callout.tsx';
import { renderPage } from '../ui/document.tsx';
import { useSpeech, useWords } from '../ui/speech.tsx';
import { visitOf, wordsFor } from '../visit.ts';
import { type LegalName, type LegalText, legalNames } from './legal-texts.ts';

const summaries: Readonly<Record<LegalName, string>> = {
  terms: 'The terms of service',
  aup: 'What the service may be used for',
  privacy: 'What is known of people, and why',
  cookies: 'Which cookies are set',
  dpa: 'The agreement on processing data for customers',
  refund: 'When money is given back',
  billing: 'How requests are charged',
  security: 'How the service is secured, as a text to agree on',
};

export const legalRoutes: readonly Route[] = legalNames.map((name) =>
  route({
    method: 'GET',
    path: `/legal/${name}`,
    summary: summaries[name],
    tag: 'Public pages',
    access: 'anyone',
    answers: 'page',
    handle: (asked) => showText(asked, name),
  }),
);

function showText({ context, services }: Asked, name: LegalName): Promise<Response> {
  const text = services.legal.find(name, visitOf(context).language);
  const { description } = wordsFor(context, legalWords);
  return renderPage(context, {
    title: text.title,
    description: description(text.title, visitOf(context).brand.name),
    layout: { kind: 'public' },
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
