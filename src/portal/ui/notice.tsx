/** A page that only says what happened and what to do next. */
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { LinkButton, PostButton } from './button.tsx';
import { Command } from './commands.tsx';
import { renderPage } from './document.tsx';

/** Everything in the reader's language. */
export interface Notice {
  readonly title: string;
  readonly paragraphs: readonly string[];
  /** Lines for a shell, which belong to the last paragraph. */
  readonly command?: readonly string[];
  readonly action: NoticeAction;
}

/** A link to follow, or a button that changes something. */
type NoticeAction =
  | { readonly href: string; readonly label: string }
  | { readonly post: string; readonly label: string };

export function showNotice(
  context: Context,
  status: ContentfulStatusCode,
  { title, paragraphs, command, action }: Notice,
): Promise<Response> {
  context.status(status);
  return renderPage(context, {
    title,
    layout: { kind: 'plain' },
    content: (
      <section class="notice">
        <h1>{title}</h1>
        {paragraphs.map((paragraph) => (
          <p>{paragraph}</p>
        ))}
        {command === undefined ? null : <Command lines={command} />}
        {'post' in action ? (
          <PostButton to={action.post} look="primary" size="large">
            {action.label}
          </PostButton>
        ) : (
          <p>
            <LinkButton href={action.href} look="primary" size="large">
              {action.label}
            </LinkButton>
          </p>
        )}
      </section>
    ),
  });
}
