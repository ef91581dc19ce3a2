/** The mark: a gate let down into a line of water. */

/** In the colour of the text around it, unless one is given. */
export function Mark({
  colour = 'currentColor',
  size = 20,
}: {
  readonly colour?: string;
  readonly size?: number;
}) {
  return (
    <svg
      class="mark"
      xmlns="http://www.w3.org/2000/svg"
      viewBox="0 0 16 16"
      width={size}
      height={size}
      fill="none"
      stroke={colour}
      stroke-width="1.75"
      stroke-linecap="round"
      aria-hidden="true"
    >
      <path d="M8 1.25v8.5M1 5.25h7M8 13h7" />
      <path d="M1 13h2.5" opacity="0.45" />
    </svg>
  );
}
