/** GET /dashboard/settings: a page of sections, each with its form. A section joins with a line here. */
import type { Child } from 'hono/jsx';
import { takeForm } from '../kept-form.ts';
import { settingsWords } from '../languages/settings/index.ts';
import { type Asked, type Route, route } from '../route.ts';
import { renderPage } from '../ui/document.tsx';
import { viewerOf } from '../viewer.ts';
import { wordsFor } from '../visit.ts';
import { passkeysRoutes, passkeysSection } from './passkeys.tsx';
import { passwordRoutes, passwordSection } from './password.tsx';
import { providersRoutes, providersSection } from './providers.tsx';
import type { Section } from './section.ts';
import { sessionsRoutes, sessionsSection } from './sessions.tsx';
import { twoStepRoutes, twoStepSection } from './two-step.tsx';

/** In the order of the page. */
const sections: readonly Section[] = [
  passwordSection,
  providersSection,
  twoStepSection,
  passkeysSection,
  sessionsSection,
];

export const settingsRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/dashboard/settings',
    summary: 'The settings of an account',
    tag: 'Dashboard',
    access: 'member',
    answers: 'page',
    handle: showSettings,
  }),
  ...passwordRoutes,
  ...twoStepRoutes,
  ...passkeysRoutes,
  ...providersRoutes,
  ...sessionsRoutes,
];

async function showSettings({ context, services, session }: Asked<'member'>): Promise<Response> {
  const { title } = wordsFor(context, settingsWords);
  const form = takeForm(context);
  const shown: Child[] = await Promise.all(
    sections.map((section) => section.show({ context, services, session, form })),
  );
  return renderPage(context, {
    title,
    layout: { kind: 'signed-in', viewer: await viewerOf(session, services) },
    islands: ['form', 'passkey'],
    content: (
      <>
        <div class="page-head">
          <h1>{title}</h1>
        </div>
        <div class="settings">{shown}</div>
      </>
    ),
  });
}
