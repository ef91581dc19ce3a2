/** A page that only says what happened and what to do next. */
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { LinkButton, PostButton } from './button.tsx';
import { Command } from './commands.tsx';
import { renderPage } from './document.tsx';
import type { Viewer } from './page.ts';

/** Everything in the reader's language. */
export interface Notice {
  readonly title: string;
  readonly paragraphs: readonly string[];
  /** Lines for a shell, which belong to the last paragraph. */
  readonly command?: readonly string[];
  readonly action: NoticeAction;
  /** Within the dashboard: whose frame stays around it. */
  readonly viewer?: Viewer;
}

/** A link to follow, or a button that changes something. */
type NoticeAction =
  | { readonly href: string; readonly label: string }
  | { readonly post: string; readonly label: string };

export function showNotice(
  context: Context,
  status: ContentfulStatusCode,
  { title, paragraphs, command, action, viewer }: Notice,
): Promise<Response> {
  context.status(status);
  const size = viewer === undefined ? 'large' : 'usual';
  return renderPage(context, {
    title,
    layout: viewer === undefined ? { kind: 'plain' } : { kind: 'signed-in', viewer },
    content: (
      <section class="notice">
        <h1>{title}</h1>
        {paragraphs.map((paragraph) => (
          <p>{paragraph}</p>
        ))}
        {command === undefined ? null : <Command lines={command} />}
        {'post' in action ? (
          <PostButton to={action.post} look="primary" size={size}>
            {action.label}
          </PostButton>
        ) : (
          <p>
            <LinkButton href={action.href} look="primary" size={size}>
              {action.label}
            </LinkButton>
          </p>
        )}
      </section>
    ),
  });
}
