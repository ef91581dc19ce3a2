/** The head of every page of the settings: the title, and the way to the others. */
import { settingsWords } from '../languages/settings/index.ts';
import { webhooksWords } from '../languages/webhooks/index.ts';
import { useWords } from '../ui/speech.tsx';
import { Tabs } from '../ui/way.tsx';
import { type SettingsPage, settingsPageNames, settingsPaths } from './section.ts';
import { webhooksPath } from './webhooks/the-webhooks.ts';

export function SettingsHead({ current }: { readonly current: SettingsPage | 'webhooks' }) {
  const { title, pages } = useWords(settingsWords);
  const { title: webhooks } = useWords(webhooksWords);
  return (
    <>
      <div class="page-head">
        <h1>{title}</h1>
      </div>
      <Tabs
        label={title}
        items={[
          ...settingsPageNames.map((each) => ({
            href: settingsPaths[each],
            label: pages[each],
            isCurrent: each === current,
          })),
          { href: webhooksPath, label: webhooks, isCurrent: current === 'webhooks' },
        ]}
      />
    </>
  );
}
