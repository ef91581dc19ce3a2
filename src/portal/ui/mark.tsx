/** The mark: a gate standing in a line of water. */

/** In the colour of the text around it, unless one is given. */
export function Mark({ colour = 'currentColor' }: { readonly colour?: string }) {
  return (
    <svg
      class="mark"
      xmlns="http://www.w3.org/2000/svg"
      viewBox="0 0 24 24"
      width="24"
      height="24"
      fill="none"
      stroke={colour}
      stroke-width="2.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d="M5 14.5V3.5h14v11" />
      <path d="M9.5 4v5.5h5V4" fill={colour} />
      <path d="M2 19.5c1.7-1.7 3.300-1.7 5 0s3.300 1.7 5 0 3.300-1.7 5 0 3.300 1.7 5 0" />
    </svg>
  );
}
