/** One row of the page of components: a name, and what it names. */
import type { Child } from 'hono/jsx';

export function Specimens({ title, children }: { readonly title: string; readonly children?: Child }) {
  const id = `part-${title.toLowerCase().replace(/\W+/g, '-')}`;
  return (
    <section class="section specimens" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

export function Specimen({ name, children }: { readonly name: string; readonly children?: Child }) {
  return (
    <div class="specimen">
      <p class="quiet small">{name}</p>
      <div>{children}</div>
    </div>
  );
}
