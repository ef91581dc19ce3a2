/** How an action says that it is done: JSON to a program, and to a form a redirect to a page with a message. */
import type { Context } from 'hono';
import { wantsPage } from './refusal.ts';
import { leaveMessage } from './ui/toast.tsx';

export interface Done {
  /** The page that a form goes on to. */
  readonly to: string;
  /** For that page, in the reader's language. */
  readonly message?: string;
  /** What a program is told beside `ok`. */
  readonly result?: Readonly<Record<string, unknown>>;
}

export function done(context: Context, { to, message, result = {} }: Done): Response {
  if (!wantsPage(context.req.raw)) return context.json({ ok: true, ...result });
  if (message !== undefined) leaveMessage(context, { tone: 'good', text: message });
  return context.redirect(to, 303);
}
