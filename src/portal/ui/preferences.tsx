/** The switches of theme and language, which work without a script: each is a button that posts. */

import { languageNames, languages } from '../languages/language.ts';
import type { Visit } from '../visit.ts';
import { Icon } from './icon.tsx';
import { useSpeech } from './speech.tsx';

interface PreferenceProps {
  readonly visit: Visit;
  /** Null where there is no way back: then they are left out. */
  readonly here: string | null;
}

/** From the system's to light, to dark, and back. */
const nextTheme = { system: 'light', light: 'dark', dark: 'system' } as const;

export function ThemeSwitch({ visit, here }: PreferenceProps) {
  const { preferences } = useSpeech().common;
  if (here === null) return null;
  const labels = {
    system: preferences.followsSystem,
    light: preferences.isLight,
    dark: preferences.isDark,
  };
  const theme = visit.theme ?? 'system';
  return (
    <form method="post" action="/preferences" class="theme-switch" data-theme-switch>
      <input type="hidden" name="return" value={here} />
      {(['system', 'light', 'dark'] as const).map((one) => (
        <button
          type="submit"
          name="theme"
          value={nextTheme[one]}
          class="button ghost square"
          aria-label={labels[one]}
          title={labels[one]}
          hidden={one !== theme}
          data-shows={one}
        >
          <Icon name={one === 'system' ? 'sun-moon' : one === 'light' ? 'sun' : 'moon'} />
        </button>
      ))}
    </form>
  );
}

/** Each language under its own name, said in itself. */
export function LanguageSwitch({ visit, here }: PreferenceProps) {
  if (here === null) return null;
  return (
    <form method="post" action="/preferences" class="language-switch">
      <input type="hidden" name="return" value={here} />
      {languages.map((language) => (
        <button
          type="submit"
          name="language"
          value={language}
          lang={language}
          aria-pressed={language === visit.language ? 'true' : 'false'}
        >
          {languageNames[language]}
        </button>
      ))}
    </form>
  );
}
