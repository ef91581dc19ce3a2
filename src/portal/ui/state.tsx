/** States, as a shape and a word, and the small words that stand beside a name. */
import type { Child } from 'hono/jsx';

/** A circle is well, a diamond wants a look, a square failed, a ring is off. */
export type Mood = 'good' | 'warn' | 'bad' | 'off';

export function State({
  mood,
  title,
  children,
}: {
  readonly mood: Mood;
  readonly title?: string | undefined;
  readonly children?: Child;
}) {
  return (
    <span class={`state ${mood}`} {...(title === undefined ? {} : { title })}>
      {children}
    </span>
  );
}

/** What kind of thing it is, or where it stands. */
export function Tag({ title, children }: { readonly title?: string; readonly children?: Child }) {
  return (
    <span class="tag" {...(title === undefined ? {} : { title })}>
      {children}
    </span>
  );
}
