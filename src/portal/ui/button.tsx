/** What is pressed: buttons, links that look like them, buttons that change something, and the one that copies. */
import type { Child } from 'hono/jsx';
import { Icon, type IconName } from './icon.tsx';
import { useSpeech } from './speech.tsx';

/** One `primary` a page; `ghost` beside others; `danger` for what destroys. `item` is a line of a menu, `link` a link in a text. */
export type ButtonLook = 'plain' | 'primary' | 'ghost' | 'danger' | 'grave' | 'item' | 'link';

interface Looks {
  readonly look?: ButtonLook;
  readonly size?: 'small' | 'usual' | 'large';
  readonly icon?: IconName;
  readonly children?: Child;
}

interface ButtonProps extends Looks {
  readonly type?: 'submit' | 'button';
  readonly name?: string;
  readonly value?: string;
  readonly disabled?: boolean;
  /** The id of the form that it sends where it stands outside of it, as in the foot of a dialog. */
  readonly form?: string;
  /** Its work goes on: it cannot be pressed again, and says so. */
  readonly isBusy?: boolean;
  /** The dialog that it opens or closes, by the browser alone. */
  readonly command?: { readonly does: 'show-modal' | 'close'; readonly to: string };
}

export function Button(props: ButtonProps) {
  const { type = 'submit', name, value, disabled = false, isBusy = false, command } = props;
  return (
    <button
      type={command === undefined ? type : 'button'}
      class={classOf(props)}
      {...(name === undefined ? {} : { name, value: value ?? '' })}
      {...(command === undefined ? {} : { command: command.does, commandfor: command.to })}
      form={props.form}
      disabled={disabled || isBusy}
      aria-busy={isBusy ? 'true' : undefined}
    >
      <Content {...props} />
    </button>
  );
}

export function LinkButton(
  props: Looks & { readonly href: string; readonly download?: boolean; readonly rel?: 'prev' | 'next' },
) {
  return (
    <a
      class={classOf(props)}
      href={props.href}
      rel={props.rel}
      {...(props.download === true ? { download: '' } : {})}
    >
      <Content {...props} />
    </a>
  );
}

/** Changes something, which following a link must not. */
export function PostButton({
  to,
  fields = {},
  ...looks
}: Looks & { readonly to: string; readonly fields?: Readonly<Record<string, string>> }) {
  return (
    <form method="post" action={to} class="post">
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <Button {...looks} />
    </form>
  );
}

/** An icon alone; the label is what it does. */
export function IconButton({
  icon,
  label,
  look = 'ghost',
  ...rest
}: Omit<ButtonProps, 'children'> & { readonly icon: IconName; readonly label: string }) {
  const { type = 'submit', command, disabled = false } = rest;
  return (
    <button
      type={command === undefined ? type : 'button'}
      class={`${classOf({ look, ...rest })} square`}
      aria-label={label}
      title={label}
      disabled={disabled}
      {...(command === undefined ? {} : { command: command.does, commandfor: command.to })}
    >
      <Icon name={icon} />
    </button>
  );
}

/** Only where scripts run: without them it is not shown. */
export function CopyButton({ text, label }: { readonly text: string; readonly label?: string }) {
  const { action } = useSpeech().common;
  return (
    <button
      type="button"
      class="button ghost square copy"
      data-copy={text}
      data-copied={action.copied}
      aria-label={label ?? action.copy}
      title={label ?? action.copy}
      hidden
    >
      <Icon name="copy" />
      <Icon name="check" class="done" />
    </button>
  );
}

/** A few choices of which one is in force, as links: the period of a page, totals or days. */
export function Segments({
  label,
  items,
}: {
  readonly label: string;
  readonly items: readonly { readonly href: string; readonly label: string; readonly isCurrent: boolean }[];
}) {
  return (
    <nav class="segments" aria-label={label}>
      {items.map((item) => (
        <a href={item.href} {...(item.isCurrent ? { 'aria-current': 'true' } : {})}>
          {item.label}
        </a>
      ))}
    </nav>
  );
}

function Content({ icon, children }: Looks) {
  return (
    <>
      {icon === undefined ? null : <Icon name={icon} />}
      {children}
    </>
  );
}

function classOf({ look = 'plain', size = 'usual' }: Looks): string {
  if (look === 'link') return 'link';
  if (look === 'item') return 'item';
  return ['button', ...(look === 'plain' ? [] : [look]), ...(size === 'usual' ? [] : [size])].join(' ');
}
