/** A page that only says what happened and what to do next. */
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { Command } from './commands.tsx';
import { renderPage } from './document.tsx';
import { PostButton } from './post-button.tsx';

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
): Response | Promise<Response> {
  context.status(status);
  return renderPage(context, {
    title,
    content: (
      <section class="notice">
        <h1>{title}</h1>
        {paragraphs.map((paragraph) => (
          <p>{paragraph}</p>
        ))}
        {command === undefined ? null : <Command lines={command} />}
        <Action {...action} />
      </section>
    ),
  });
}

function Action(action: NoticeAction) {
  if ('post' in action) return <PostButton to={action.post} label={action.label} look="button" />;
  return (
    <p>
      <a class="button" href={action.href}>
        {action.label}
      </a>
    </p>
  );
}
