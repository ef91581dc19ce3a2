/** The pages of this room look alike: a heading, a sentence, a form, and where else one may want to go. */
import type { Context } from 'hono';
import type { Child } from 'hono/jsx';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { KeptForm } from '../kept-form.ts';
import type { IslandName } from '../ui/assets.tsx';
import { renderPage } from '../ui/document.tsx';
import { ErrorSummary } from '../ui/field.tsx';

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
