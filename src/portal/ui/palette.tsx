/** ⌘K: a dialog that jumps to a page. A list of links without a script, with one it is searched while typing. */
import { Icon } from './icon.tsx';
import { destinationsOf } from './navigation.ts';
import type { Jump, Viewer } from './page.ts';
import { useSpeech } from './speech.tsx';

export function Palette({ viewer, jumps }: { readonly viewer: Viewer; readonly jumps: readonly Jump[] }) {
  const { common } = useSpeech();
  const { palette, pages, frame } = common;
  const entries: readonly Jump[] = [
    ...destinationsOf(viewer).flatMap(({ isAdministration, destinations }) =>
      destinations.map(({ href, icon, name }) => {
        return { href, icon, label: pages[name], kind: isAdministration ? frame.administration : '' };
      }),
    ),
    ...jumps,
  ];
  return (
    <dialog id="palette" class="palette" aria-label={palette.open} closedby="any">
      <div class="palette-field">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label={palette.label}
          aria-controls="palette-list"
          aria-expanded="true"
          aria-autocomplete="list"
          placeholder={palette.open}
          autocomplete="off"
          spellcheck={false}
          autofocus
        />
        <kbd>Esc</kbd>
      </div>
      <div id="palette-list" role="listbox" aria-label={palette.label}>
        {entries.map(({ href, icon, label, kind }, index) => (
          <a
            id={`palette-${index}`}
            class="item"
            role="option"
            aria-selected="false"
            tabindex={-1}
            href={href}
            data-words={`${label} ${kind} ${href}`}
          >
            <Icon name={icon} />
            {label}
            {kind === '' ? null : <span class="quiet small">{kind}</span>}
          </a>
        ))}
      </div>
      <p class="palette-none quiet" role="status" hidden>
        {palette.none}
      </p>
      <p class="palette-hint quiet small wide-only">{palette.hint}</p>
    </dialog>
  );
}
