/** The pages of this room look alike: a heading, a sentence, a form, and where else one may want to go. */
import type { Context } from 'hono';
import type { Child } from 'hono/jsx';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { KeptForm } from '../kept-form.ts';
import { accountsWords } from '../languages/accounts/index.ts';
import type { IslandName } from '../ui/assets.tsx';
import { Button, LinkButton } from '../ui/button.tsx';
import { renderPage } from '../ui/document.tsx';
import { ErrorSummary, TextField, type TextFieldProps } from '../ui/field.tsx';
import { wordsFor } from '../visit.ts';

export interface FormPage {
  readonly title: string;
  readonly status?: ContentfulStatusCode;
  readonly content: Child;
  readonly islands?: readonly IslandName[];
}

export function showFormPage(
  context: Context,
  { title, status = 200, content, islands = [] }: FormPage,
): Promise<Response> {
  context.status(status);
  return renderPage(context, {
    title,
    layout: { kind: 'plain' },
    islands: ['form', ...islands],
    content: (
      <section class="entry">
        <h1>{title}</h1>
        {content}
      </section>
    ),
  });
}

/** The same whether or not a mail was sent. */
export function showSent(context: Context, what: 'verification' | 'reset'): Promise<Response> {
  const { sent } = wordsFor(context, accountsWords);
  return showFormPage(context, {
    title: sent.title,
    content: (
      <>
        <p>{sent[what]}</p>
        <p>{sent.late}</p>
        <p>
          <LinkButton href="/login">{sent.back}</LinkButton>
        </p>
      </>
    ),
  });
}

interface EntryFormProps {
  /** The action that it is sent to. */
  readonly to: string;
  /** As it came back, where it was refused. */
  readonly form: KeptForm;
  /** In their order; what was written in one before comes in place of its value. */
  readonly fields: readonly Omit<TextFieldProps, 'error'>[];
  /** What is sent along and not shown; what is not known is left out. */
  readonly carries?: Readonly<Record<string, string | undefined>>;
  /** The account that a new password is for: password managers look for it. */
  readonly account?: string;
  /** What its button says, which is as large as the page's only one. */
  readonly action: string;
  /** Names of what else it asks for, below the fields, so that what was wrong there is named. */
  readonly others?: readonly string[];
  readonly children?: Child;
  /** Beside the button. */
  readonly beside?: Child;
  /** Below it, and still of the form. */
  readonly after?: Child;
}

/**
 * The small forms of this room: a few fields below each other, and one button. Sent as they are: a browser would tell of
 * one mistake at a time, in its own language.
 */
export function EntryForm(props: EntryFormProps) {
  const { to, form, fields, carries = {}, account, action, others = [], children } = props;
  return (
    <form class="form" method="post" action={to} novalidate>
      <Mistakes form={form} fields={[...fields.map(({ name }) => name), ...others]} />
      {Object.entries(carries).map(([name, value]) =>
        value === undefined ? null : <input type="hidden" name={name} value={value} />,
      )}
      {account === undefined ? null : (
        <input type="text" name="username" value={account} autocomplete="username" readonly hidden />
      )}
      {fields.map((field) => (
        <TextField
          required
          {...field}
          value={form.values[field.name] ?? field.value}
          error={form.issues[field.name]}
        />
      ))}
      {children}
      <p class="form-actions">
        <Button look="primary" size="large">
          {action}
        </Button>
        {props.beside}
      </p>
      {props.after}
    </form>
  );
}

/** A password that is still to be: browsers offer to make one, and keep it. */
export const newPasswordField = (label: string, help: string) =>
  ({
    name: 'password',
    type: 'password',
    label,
    help,
    autocomplete: 'new-password',
    minLength: 8,
  }) as const;

/** What was wrong with a form that came back; `fields` are its own, in their order, and others stand alone. */
export function Mistakes({ form, fields }: { readonly form: KeptForm; readonly fields: readonly string[] }) {
  const { issues } = form;
  const own = fields.flatMap((name) => {
    const message = issues[name];
    return message === undefined ? [] : [{ name, message }];
  });
  const others = Object.entries(issues).filter(([name]) => !fields.includes(name));
  return (
    <>
      <ErrorSummary mistakes={own} />
      {others.map(([, message]) => (
        <ErrorSummary mistakes={[]}>{message}</ErrorSummary>
      ))}
    </>
  );
}
