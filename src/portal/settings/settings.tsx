/** The settings of an account: four pages of sections, each with its form. A section joins with a line here. */
import type { Child } from 'hono/jsx';
import { takeForms } from '../kept-form.ts';
import { settingsWords } from '../languages/settings/index.ts';
import { type Asked, type Route, route } from '../route.ts';
import type { IslandName } from '../ui/assets.tsx';
import { renderPage } from '../ui/document.tsx';
import { viewerOf } from '../viewer.ts';
import { wordsFor } from '../visit.ts';
import { contactsSection, notificationsRoutes } from './contacts.tsx';
import { dataExportRoutes, dataExportSection } from './data-export.tsx';
import { deleteAccountRoutes, deleteAccountSection } from './delete-account.tsx';
import { emailRoutes, emailSection } from './email.tsx';
import { passkeysRoutes, passkeysSection } from './passkeys.tsx';
import { passwordRoutes, passwordSection } from './password.tsx';
import { profileRoutes, profileSection } from './profile.tsx';
import { providersRoutes, providersSection } from './providers.tsx';
import { type Section, type SettingsPage, settingsPageNames, settingsPaths } from './section.ts';
import { sentMailsRoutes } from './sent-mails.tsx';
import { sessionsRoutes, sessionsSection } from './sessions.tsx';
import { SettingsHead } from './settings-tabs.tsx';
import { twoStepRoutes, twoStepSection } from './two-step.tsx';

interface Shown {
  readonly summary: string;
  /** In the order of the page. */
  readonly sections: readonly Section[];
  readonly islands: readonly IslandName[];
}

const pages = {
  profile: {
    summary: 'The settings of an account: profile and e-mail address',
    sections: [profileSection, emailSection],
    islands: ['form'],
  },
  security: {
    summary: 'The settings of an account: ways to sign in, and where it is signed in',
    sections: [passwordSection, providersSection, twoStepSection, passkeysSection, sessionsSection],
    islands: ['form', 'passkey'],
  },
  notifications: {
    summary: 'The settings of an account: contacts, and what each is told of',
    sections: [contactsSection],
    islands: ['form'],
  },
  data: {
    summary: 'The settings of an account: having all of its data, and deleting it',
    sections: [dataExportSection, deleteAccountSection],
    islands: ['form', 'reload'],
  },
} as const satisfies Record<SettingsPage, Shown>;

export const settingsRoutes: readonly Route[] = [
  ...settingsPageNames.map((name) =>
    route({
      method: 'GET',
      path: settingsPaths[name],
      summary: pages[name].summary,
      tag: 'Dashboard',
      access: 'member',
      answers: 'page',
      handle: (asked) => showSettings(asked, name),
    }),
  ),
  ...profileRoutes,
  ...emailRoutes,
  ...passwordRoutes,
  ...twoStepRoutes,
  ...passkeysRoutes,
  ...providersRoutes,
  ...sessionsRoutes,
  ...notificationsRoutes,
  ...sentMailsRoutes,
  ...dataExportRoutes,
  ...deleteAccountRoutes,
];

async function showSettings(
  asked: Asked<'member'>,
  name: (typeof settingsPageNames)[number],
): Promise<Response> {
  const { context, services, session } = asked;
  const { title, pages: names } = wordsFor(context, settingsWords);
  const form = takeForms(context);
  const { sections, islands } = pages[name];
  const [viewer, ...shown]: [Awaited<ReturnType<typeof viewerOf>>, ...Child[]] = await Promise.all([
    viewerOf(session, services),
    ...sections.map((section) => section.show({ context, services, session, form })),
  ]);
  return renderPage(context, {
    title: name === 'profile' ? title : `${names[name]} · ${title}`,
    layout: { kind: 'signed-in', viewer },
    islands,
    content: (
      <>
        <SettingsHead current={name} />
        <div class="settings">{shown}</div>
      </>
    ),
  });
}
