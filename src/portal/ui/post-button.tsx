/** A button that changes something, which following a link must not. */

interface PostButtonProps {
  readonly to: string;
  readonly label: string;
  readonly look: 'button' | 'link';
}

export function PostButton({ to, label, look }: PostButtonProps) {
  return (
    <form method="post" action={to}>
      <button class={look} type="submit">
        {label}
      </button>
    </form>
  );
}
