/** GET /dev/ui, in development only: every component in every state, for eyes and for the tests that look at pages. */
import type { Context } from 'hono';
import type { Child } from 'hono/jsx';
import { type Route, route } from '../route.ts';
import { LinkButton } from '../ui/button.tsx';
import { renderPage } from '../ui/document.tsx';
import type { Viewer } from '../ui/page.ts';
import { leaveMessage } from '../ui/toast.tsx';
import { changeVisit } from '../visit.ts';
import { ChartParts } from './chart-parts.tsx';
import { DataParts } from './data-parts.tsx';
import { FormParts } from './form-parts.tsx';
import { PressedParts } from './pressed-parts.tsx';
import { SheetExample } from './sheet-part.tsx';
import { TextParts } from './text-parts.tsx';

const viewer: Viewer = {
  email: 'ines@northwind.example',
  isExample: true,
  name: 'Ines Moreau',
  organisation: 'Northwind Labs',
  organisations: ['Northwind Labs', 'Harbour Research'].map((name) => ({
    name,
    isCurrent: name === 'Northwind Labs',
    to: '/dev/ui?tone=good',
    fields: { organisation: name },
  })),
  balance: { nanoUsd: 214_860_000_000n, daysLeft: 17 },
  administers: true,
};

const parts = {
  text: TextParts,
  pressed: PressedParts,
  form: FormParts,
  data: DataParts,
  chart: ChartParts,
} as const;

export const showcaseRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/dev/ui',
    summary: 'Every component in every state',
    tag: 'Development',
    access: 'anyone',
    answers: 'page',
    handle: ({ context }) => showComponents(context),
  }),
  route({
    method: 'POST',
    path: '/dev/ui',
    summary: 'Leave an example of a message',
    tag: 'Development',
    access: 'anyone',
    answers: 'redirect',
    handle: ({ context }) => leaveExample(context),
  }),
];

/** `/dev/ui` shows all; `?part=form` one part, `?part=sheet` a list with a sheet; `?layout=public` another layout; `?brand` a reseller's name. */
function showComponents(context: Context): Promise<Response> {
  const { req } = context;
  if (req.query('brand') !== undefined) {
    changeVisit(context, { brand: { name: 'Pelican Cloud', logoPath: null, accent: '#7a3db8' } });
  }
  const only = req.query('part');
  if (only === 'sheet') {
    return renderPage(context, {
      title: 'A list with a sheet',
      layout: { kind: 'signed-in', viewer, isFlush: true },
      content: <SheetExample />,
      islands: ['table'],
    });
  }
  const shown = Object.entries(parts).filter(([name]) => only === undefined || name === only);
  const content = (
    <>
      <div class="page-head">
        <h1>Components</h1>
        <LinkButton href="/dev/ui?layout=public" size="small">
          Public layout
        </LinkButton>
        <LinkButton href="/dev/ui?part=sheet" size="small">
          List with a sheet
        </LinkButton>
        <LinkButton href="/dev/ui?brand" size="small">
          Another brand
        </LinkButton>
        <LinkButton href="/dev/ui?layout=plain" size="small">
          Plain layout
        </LinkButton>
      </div>
      {shown.map(([, Part]) => (
        <Part />
      ))}
    </>
  );
  return renderPage(context, { title: 'Components', ...layoutOf(req.query('layout'), only, content) });
}

function layoutOf(layout: string | undefined, part: string | undefined, content: Child) {
  if (layout === 'public') return { layout: { kind: 'public', viewer }, content } as const;
  if (layout === 'plain')
    return { layout: { kind: 'plain' }, content: <div class="wide">{content}</div> } as const;
  return {
    layout: {
      kind: layout === 'administration' ? 'administration' : 'signed-in',
      viewer,
      trail: [{ href: '/dashboard', label: 'Overview' }],
      jumps: [{ href: '/dev/ui?part=sheet', label: 'support-bot', icon: 'key-round', kind: 'Key' }],
    },
    content,
    // With the island of forms the example of mistakes takes the focus, and the page begins in its middle.
    islands: part === 'form' ? (['form'] as const) : (['table', 'chart'] as const),
  } as const;
}

/** POST /dev/ui: leaves a message, as an action would that went well or not. */
function leaveExample(context: Context): Response {
  const isBad = context.req.query('tone') === 'bad';
  leaveMessage(
    context,
    isBad
      ? { tone: 'bad', text: 'The key could not be revoked: it is the last one of its project.' }
      : { tone: 'good', text: 'support-bot is revoked. Requests with it get 401 from now on.' },
  );
  return context.redirect('/dev/ui?part=pressed', 303);
}
