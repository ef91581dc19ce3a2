/** What opens over a page or beside a list. */
import type { Child } from 'hono/jsx';
import { Button, IconButton, LinkButton } from './button.tsx';
import { TextField } from './field.tsx';
import { useSpeech } from './speech.tsx';

interface DialogProps {
  /** What the button that opens it names: `command={{ does: 'show-modal', to: id }}`. */
  readonly id: string;
  readonly title: string;
  readonly children?: Child;
  /** Beside the content: what the choices come to. */
  readonly aside?: Child;
  readonly footer?: Child;
  readonly isWide?: boolean;
}

/** Opened by a button's command, which the browser does itself; Escape and a click beside it close it. */
export function Dialog({ id, title, children, aside, footer, isWide = false }: DialogProps) {
  const { action } = useSpeech().common;
  return (
    <dialog id={id} class={isWide ? 'dialog wide' : 'dialog'} aria-labelledby={`${id}-title`} closedby="any">
      <header>
        <h2 id={`${id}-title`}>{title}</h2>
        <IconButton icon="x" label={action.close} command={{ does: 'close', to: id }} />
      </header>
      <div class={aside === undefined ? 'dialog-body' : 'dialog-body with-aside'}>
        <div>{children}</div>
        {aside === undefined ? null : <aside>{aside}</aside>}
      </div>
      {footer === undefined ? null : <footer>{footer}</footer>}
    </dialog>
  );
}

interface DestroyProps {
  readonly id: string;
  readonly title: string;
  /** What is lost, and what is not. */
  readonly children?: Child;
  /** Where the form is sent, with the field `name`, which the server compares too. */
  readonly to: string;
  /** The thing's own name, to be typed. */
  readonly thing: string;
  readonly label: string;
  readonly confirm: string;
}

/** Asks with the thing's name before it is destroyed. */
export function DestroyDialog({ id, title, children, to, thing, label, confirm }: DestroyProps) {
  const { action } = useSpeech().common;
  return (
    <Dialog id={id} title={title}>
      <form class="form" method="post" action={to}>
        <div>{children}</div>
        <TextField
          name={`${id}-name`}
          label={label}
          required
          autocomplete="off"
          pattern={escapePattern(thing)}
        />
        <p class="form-actions end">
          <Button command={{ does: 'close', to: id }}>{action.cancel}</Button>
          <Button look="danger">{confirm}</Button>
        </p>
      </form>
    </Dialog>
  );
}

/** Browsers read patterns with the flag `v`, under which what means nothing may have no backslash before it. */
const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

interface SheetProps {
  readonly title: Child;
  /** Above the title: the id of the thing, with what copies it. */
  readonly overline?: Child;
  /** Beside the title: its state. */
  readonly state?: Child;
  /** Where the list is without the sheet. */
  readonly closeHref: string;
  readonly previousHref?: string | null;
  readonly nextHref?: string | null;
  readonly children?: Child;
}

/** Detail beside a list, at an address of its own; it stands in a `Split`. */
export function Sheet({ title, overline, state, closeHref, previousHref, nextHref, children }: SheetProps) {
  const { action, paging } = useSpeech().common;
  return (
    <aside class="sheet" aria-labelledby="sheet-title">
      <header>
        <div class="sheet-line">
          {overline}
          <span class="grow" />
          {previousHref == null ? null : (
            <LinkButton look="ghost" href={previousHref} icon="arrow-up" rel="prev">
              <span class="hidden">{paging.previous}</span>
            </LinkButton>
          )}
          {nextHref == null ? null : (
            <LinkButton look="ghost" href={nextHref} icon="arrow-down" rel="next">
              <span class="hidden">{paging.next}</span>
            </LinkButton>
          )}
          <LinkButton look="ghost" href={closeHref} icon="x">
            <span class="hidden">{action.close}</span>
          </LinkButton>
        </div>
        <div class="sheet-line">
          <h2 id="sheet-title">{title}</h2>
          <span class="grow" />
          {state}
        </div>
      </header>
      {children}
    </aside>
  );
}

interface SheetPartProps {
  readonly title?: string;
  readonly note?: string;
  readonly children?: Child;
}

export function SheetPart({ title, note, children }: SheetPartProps) {
  return (
    <section>
      {title === undefined ? null : (
        <h3>
          {title}
          {note === undefined ? null : <small>{note}</small>}
        </h3>
      )}
      {children}
    </section>
  );
}

/** A list with a sheet beside it; on a narrow screen the sheet lies over it. The layout is `isFlush`. */
export function Split({ sheet, children }: { readonly sheet: Child; readonly children?: Child }) {
  return (
    <div class="split">
      <div class="list">{children}</div>
      {sheet}
    </div>
  );
}
