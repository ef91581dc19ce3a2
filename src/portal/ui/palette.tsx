/** ⌘K: a dialog that jumps to a page. A list of links without a script, with one it is searched while typing, and so is what belongs to the reader. */
import { Icon, type IconName } from './icon.tsx';
import { destinationsOf } from './navigation.ts';
import type { Jump, Viewer } from './page.ts';
import { useSpeech } from './speech.tsx';

/** Of what the server finds; the island draws them from a template. */
const kindIcons: readonly (readonly [FoundKind, IconName])[] = [
  ['key', 'key-round'],
  ['model', 'box'],
  ['request', 'list'],
  ['person', 'user'],
  ['organisation', 'building-2'],
  ['recent', 'clock'],
];
type FoundKind = 'key' | 'model' | 'request' | 'person' | 'organisation' | 'recent';

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
    <dialog
      id="palette"
      class="palette"
      aria-label={palette.open}
      closedby="any"
      {...(viewer.isExample === true ? {} : { 'data-search': '/dashboard/search' })}
      data-who={viewer.email}
    >
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
          maxlength={100}
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
            <span class="palette-label">{label}</span>
            {kind === '' ? null : <span class="quiet small">{kind}</span>}
          </a>
        ))}
      </div>
      {kindIcons.map(([kind, icon]) => (
        <template data-kind={kind}>
          <a class="item" role="option" aria-selected="false" tabindex={-1} href="/dashboard">
            <Icon name={icon} />
            <span class="palette-label" />
            <span class="quiet small palette-detail" />
            <span class="quiet small">{palette.kinds[kind]}</span>
          </a>
        </template>
      ))}
      <p class="palette-none quiet" role="status" hidden>
        {palette.none}
      </p>
      <p class="hidden" role="status" data-counted={palette.counted(-1)} />
      <p class="palette-hint quiet small wide-only">{palette.hint}</p>
    </dialog>
  );
}
