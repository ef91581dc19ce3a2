/** A message of the server that outlives one redirect, in a cookie, and is shown once. */
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { z } from 'zod';
import { cookieOfHost } from '../kept-form.ts';
import { Icon } from './icon.tsx';
import type { Message } from './page.ts';
import { useSpeech } from './speech.tsx';

const messageCookie = 'sluice-message';
const lifetimeSeconds = 60;
const longestText = 300;

const messageSchema = z.object({ tone: z.enum(['good', 'bad']), text: z.string().max(longestText) });

/** Before a redirect. The text is in the reader's language and says nothing secret: browsers keep it for a minute. */
export function leaveMessage(context: Context, { tone, text }: Message): void {
  const told = JSON.stringify({ tone, text: text.slice(0, longestText) });
  const { name, options } = cookieOfHost(context, messageCookie);
  setCookie(context, name, told, { ...options, maxAge: lifetimeSeconds });
}

/** The message that waits, which is then gone. */
export function takeMessage(context: Context): Message | null {
  const { name, options } = cookieOfHost(context, messageCookie);
  const told = getCookie(context, name);
  if (told === undefined) return null;
  deleteCookie(context, name, options);
  return readMessage(told);
}

/** A browser sends whatever cookies it has, so it may be anything. */
function readMessage(told: string): Message | null {
  try {
    return messageSchema.safeParse(JSON.parse(told)).data ?? null;
  } catch {
    return null;
  }
}

/** Still where it is shown as an example, within a page. */
export function Toast({ tone, text, isStill = false }: Message & { readonly isStill?: boolean }) {
  const { common } = useSpeech();
  return (
    <div class={`toast ${tone}${isStill ? ' still' : ''}`} role={tone === 'bad' ? 'alert' : 'status'}>
      <Icon name={tone === 'bad' ? 'circle-alert' : 'circle-check'} />
      <p>{text}</p>
      <button type="button" class="button ghost square small" data-dismiss aria-label={common.action.dismiss}>
        <Icon name="x" />
      </button>
    </div>
  );
}
