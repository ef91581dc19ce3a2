/** What opens beside a button and closes by itself: the browser's own popover, so that it needs no script. */
import type { Child } from 'hono/jsx';
import { Icon } from './icon.tsx';
import { useSpeech } from './speech.tsx';

interface MenuProps {
  /** Of its own on the page. */
  readonly id: string;
  /** What the button is called where its content does not say so. */
  readonly label?: string;
  readonly opener: { readonly class?: string; readonly content: Child };
  /** Which edge of the button it keeps to. */
  readonly align?: 'start' | 'end';
  readonly children?: Child;
}

export function Menu({ id, label, opener, align = 'start', children }: MenuProps) {
  return (
    <>
      <button
        type="button"
        class={opener.class ?? 'button'}
        popovertarget={`menu-${id}`}
        {...(label === undefined ? {} : { 'aria-label': label })}
      >
        {opener.content}
      </button>
      <div class={`menu ${align}`} id={`menu-${id}`} popover="auto">
        {children}
      </div>
    </>
  );
}

/** A line of a menu that leads somewhere. */
export function MenuLink({
  href,
  isCurrent = false,
  isDanger = false,
  children,
}: {
  readonly href: string;
  readonly isCurrent?: boolean;
  /** It leads to what destroys something. */
  readonly isDanger?: boolean;
  readonly children?: Child;
}) {
  return (
    <a
      class={isDanger ? 'item danger' : 'item'}
      href={href}
      {...(isCurrent ? { 'aria-current': 'true' } : {})}
    >
      {children}
      {isCurrent ? <Icon name="check" size={14} /> : null}
    </a>
  );
}

interface FilterProps {
  readonly id: string;
  readonly name: string;
  /** The first is that nothing is chosen. */
  readonly options: readonly { readonly href: string; readonly label: string; readonly isCurrent: boolean }[];
}

/** A filter of a list: each choice is a link, so that it is in the address. */
export function Filter({ id, name, options }: FilterProps) {
  const { table } = useSpeech().common;
  const chosen = options.findIndex(({ isCurrent }) => isCurrent);
  const value = options[Math.max(0, chosen)];
  return (
    <Menu
      id={id}
      opener={{
        class: chosen > 0 ? 'chip chosen' : 'chip',
        content: (
          <>
            <span class="quiet">{name}</span>
            {chosen > 0 ? value?.label : table.any}
            <Icon name="chevron-down" size={14} />
          </>
        ),
      }}
    >
      {options.map(({ href, label, isCurrent }) => (
        <MenuLink href={href} isCurrent={isCurrent}>
          {label}
        </MenuLink>
      ))}
    </Menu>
  );
}
