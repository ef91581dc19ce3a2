/** The document that every page is: its head, one of the layouts, and the reader's language and theme. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { type Visit, visitOf } from '../visit.ts';
import { brandStylesPath, type IslandName, loadAssets } from './assets.tsx';
import { sluiceBrand } from './brand.ts';
import { SignedInFrame } from './frame.tsx';
import type { Drawing, Layout, Message, Page } from './page.ts';
import { PlainFrame, PublicFrame } from './public-frame.tsx';
import { SpeechContext, speechIn } from './speech.tsx';
import { takeMessage } from './toast.tsx';

export async function renderPage(context: Context, page: Page): Promise<Response> {
  const drawn = {
    page,
    visit: visitOf(context),
    assets: await loadAssets(),
    here: hereOf(context),
    wayBack: ['GET', 'HEAD'].includes(context.req.method) ? hereOf(context) : null,
    message: messageFor(context),
  };
  return context.html(html`<!doctype html>${<Document {...drawn} />}`);
}

/** What was wrong is said once: where a form of the page says it beside its fields, not above them too. */
function messageFor(context: Context): Message | null {
  const message = takeMessage(context);
  return message?.tone === 'bad' && context.get('saysWhatWasWrong') === true ? null : message;
}

/** The path with its query, as this host would be asked for it again. */
function hereOf({ req }: Context): string {
  const { pathname, search } = new URL(req.url);
  return `${pathname}${search}`;
}

function Document(drawing: Drawing) {
  const { visit } = drawing;
  const speech = speechIn(visit.language);
  return (
    <SpeechContext.Provider value={speech}>
      <html lang={visit.language} {...(visit.theme === null ? {} : { 'data-theme': visit.theme })}>
        <Head {...drawing} />
        <body>
          <a class="skip" href="#content">
            {speech.common.frame.skip}
          </a>
          <Frame {...drawing} />
        </body>
      </html>
    </SpeechContext.Provider>
  );
}

function Head({ page, visit, assets, here }: Drawing) {
  const path = here.replace(/\?.*$/, '');
  const { title, description, layout } = page;
  const { brand, address } = visit;
  const fullTitle = `${title} · ${brand.name}`;
  const accentPath = brandStylesPath(brand.accent);
  const isIndexed = layout.kind === 'public';
  const islands = new Set<IslandName>([...layoutIslands[layout.kind], ...(page.islands ?? [])]);
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content={visit.theme ?? 'light dark'} />
      <title>{fullTitle}</title>
      {description === undefined ? null : <meta name="description" content={description} />}
      {isIndexed ? null : <meta name="robots" content="noindex" />}
      {isIndexed ? <link rel="canonical" href={`${address}${path}`} /> : null}
      {isIndexed ? (
        <SharedLink
          title={fullTitle}
          visit={visit}
          path={path}
          description={description}
          picturePath={assets.picturePath}
        />
      ) : null}
      <link
        rel="preload"
        href={assets.preloadedFontPath}
        as="font"
        type="font/woff2"
        crossorigin="anonymous"
      />
      <link rel="icon" type="image/svg+xml" href={assets.markPath} />
      <link rel="stylesheet" href={assets.stylesheetPath} />
      {accentPath === null ? null : <link rel="stylesheet" href={accentPath} />}
      {[...islands].map((name) => (
        <script type="module" src={assets.islandPath(name)} />
      ))}
    </head>
  );
}

const layoutIslands: Readonly<Record<Layout['kind'], readonly IslandName[]>> = {
  public: ['frame'],
  plain: ['frame'],
  'signed-in': ['frame', 'keyboard', 'palette'],
  administration: ['frame', 'keyboard', 'palette'],
};

interface SharedLinkProps {
  readonly title: string;
  readonly description: string | undefined;
  readonly visit: Visit;
  readonly path: string;
  readonly picturePath: string;
}

/** What other sites and chats show of a link to a public page. */
function SharedLink({ title, description, visit, path, picturePath }: SharedLinkProps) {
  return (
    <>
      <meta property="og:title" content={title} />
      {description === undefined ? null : <meta property="og:description" content={description} />}
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={visit.brand.name} />
      <meta property="og:url" content={`${visit.address}${path}`} />
      <meta property="og:locale" content={visit.language} />
      {visit.brand === sluiceBrand ? (
        // A reseller's visitors are not shown another house's picture.
        <>
          <meta property="og:image" content={`${visit.address}${picturePath}`} />
          <meta property="og:image:width" content="1200" />
          <meta property="og:image:height" content="630" />
          <meta name="twitter:card" content="summary_large_image" />
        </>
      ) : null}
    </>
  );
}

function Frame(drawing: Drawing) {
  const { layout, content } = drawing.page;
  if (layout.kind === 'plain') return <PlainFrame drawing={drawing}>{content}</PlainFrame>;
  if (layout.kind === 'public') {
    return (
      <PublicFrame drawing={drawing} viewer={layout.viewer}>
        {content}
      </PublicFrame>
    );
  }
  return (
    <SignedInFrame drawing={drawing} layout={layout}>
      {content}
    </SignedInFrame>
  );
}
