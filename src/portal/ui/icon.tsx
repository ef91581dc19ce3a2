/** Icons of the Lucide set, drawn into the page in the colour of the text around them. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { raw } from 'hono/html';
import { z } from 'zod';

/** The names are Lucide's; one that the set does not have is an error at the first use, which a test makes. */
export const iconNames = [
  'history',
  ...(['arrow-down', 'arrow-left', 'arrow-right', 'arrow-up', 'arrow-up-right'] as const),
  ...(['audio-lines', 'badge-check', 'bell', 'book-open', 'box', 'brain', 'building-2', 'calendar'] as const),
  ...([
    'chart-column',
    'check',
    'chevron-down',
    'chevron-left',
    'chevron-right',
    'chevrons-up-down',
  ] as const),
  ...(['circle-alert', 'circle-check', 'circle-help', 'circle-user', 'clock', 'code', 'copy'] as const),
  ...([
    'credit-card',
    'download',
    'ellipsis',
    'external-link',
    'eye',
    'eye-off',
    'file-text',
    'filter',
  ] as const),
  ...(['fingerprint-pattern', 'gauge', 'globe', 'house', 'image', 'info', 'key-round', 'languages'] as const),
  ...(['layers', 'link', 'list', 'lock', 'log-out', 'mail', 'menu', 'messages-square', 'minus'] as const),
  ...(['monitor', 'moon', 'paperclip', 'pause', 'pencil', 'play', 'plus', 'receipt', 'refresh-cw'] as const),
  ...(['search', 'send', 'server', 'settings', 'shield', 'shield-check', 'smartphone', 'sun'] as const),
  ...(['sun-moon', 'table-2', 'terminal', 'ticket-percent', 'trash-2', 'triangle-alert', 'upload'] as const),
  ...(['user', 'user-plus', 'users', 'wallet', 'waypoints', 'webhook', 'wrench', 'x', 'zap'] as const),
];
export type IconName = (typeof iconNames)[number];

interface IconProps {
  readonly name: IconName;
  /** Pixels: 14 within small text, 16 beside text, 20 alone. */
  readonly size?: 14 | 16 | 20;
  readonly class?: string;
}

/** Never the only bearer of a meaning: words stand beside it, or in the label of what it is drawn on. */
export function Icon({ name, size = 16, class: extra }: IconProps) {
  return (
    <svg
      class={extra === undefined ? 'icon' : `icon ${extra}`}
      viewBox="0 0 24 24"
      width={size}
      height={size}
      aria-hidden="true"
    >
      {raw(bodyOf(name))}
    </svg>
  );
}

const setSchema = z.object({
  icons: z.record(z.string(), z.object({ body: z.string() })),
  aliases: z.record(z.string(), z.object({ parent: z.string() })),
});

/** Looked for when the program is read: the runtime never finds a package again that was missing when it looked. */
const setFile = fileURLToPath(import.meta.resolve('@iconify-json/lucide/icons.json'));

let bodies: ReadonlyMap<IconName, string> | undefined;

const bodyOf = (name: IconName): string => loadIcons().get(name) ?? '';

export function loadIcons(): ReadonlyMap<IconName, string> {
  bodies ??= readBodies();
  return bodies;
}

/** The set is read once and let go: of some two thousand icons, those of the list are kept. */
function readBodies(): ReadonlyMap<IconName, string> {
  const { icons, aliases } = setSchema.parse(JSON.parse(readFileSync(setFile, 'utf8')));
  return new Map(
    iconNames.map((name) => {
      const body = icons[name]?.body ?? icons[aliases[name]?.parent ?? '']?.body;
      if (body === undefined) throw new Error(`Lucide has no icon ${name}`);
      return [name, body.replace(/ stroke-width="2"/, '')];
    }),
  );
}
