/** Where one is and how one goes on: the trail above a page, the pages of a list, the tabs of a thing. */
import { LinkButton } from './button.tsx';
import { Icon } from './icon.tsx';
import type { Crumb } from './page.ts';
import { useSpeech } from './speech.tsx';

export function Breadcrumb({ trail, here }: { readonly trail: readonly Crumb[]; readonly here: string }) {
  const { frame } = useSpeech().common;
  return (
    <nav class="trail" aria-label={frame.breadcrumb}>
      <ol>
        {trail.map(({ href, label }) => (
          <li>
            <a href={href}>{label}</a>
            <Icon name="chevron-right" size={14} />
          </li>
        ))}
        <li>
          <span aria-current="page">{here}</span>
        </li>
      </ol>
    </nav>
  );
}

interface PaginationProps {
  /** From 1. */
  readonly page: number;
  readonly pageSize: number;
  readonly total: number;
  readonly hrefOf: (page: number) => string;
}

/** Nothing where one page holds all. */
export function Pagination({ page, pageSize, total, hrefOf }: PaginationProps) {
  const { common, figures } = useSpeech();
  const pages = Math.ceil(total / pageSize);
  if (pages <= 1) return null;
  const first = (page - 1) * pageSize + 1;
  const range = [first, Math.min(total, page * pageSize), total].map(figures.count);
  return (
    <nav class="paging" aria-label={common.paging.label}>
      <p class="quiet small number">{common.paging.range(range[0] ?? '', range[1] ?? '', range[2] ?? '')}</p>
      <span class="grow" />
      <Step href={page > 1 ? hrefOf(page - 1) : null} label={common.paging.previous} />
      <ol>
        {nearby(page, pages).map((number, index) => (
          <li>
            {number === null ? (
              <span class="quiet" key={index}>
                …
              </span>
            ) : (
              <a
                href={hrefOf(number)}
                aria-label={common.paging.page(number)}
                {...(number === page ? { 'aria-current': 'page' } : {})}
              >
                {figures.count(number)}
              </a>
            )}
          </li>
        ))}
      </ol>
      <Step href={page < pages ? hrefOf(page + 1) : null} label={common.paging.next} />
    </nav>
  );
}

/** For lists that are too long to be counted: only there and back. */
export function Steps({
  previous,
  next,
  previousLabel,
}: {
  readonly previous: string | null;
  readonly next: string | null;
  /** Where the first leads further back than by a page. */
  readonly previousLabel?: string;
}) {
  const { paging } = useSpeech().common;
  if (previous === null && next === null) return null;
  return (
    <nav class="paging" aria-label={paging.label}>
      <span class="grow" />
      <Step href={previous} label={previousLabel ?? paging.previous} />
      <Step href={next} label={paging.next} />
    </nav>
  );
}

function Step({ href, label }: { readonly href: string | null; readonly label: string }) {
  if (href !== null) {
    return (
      <LinkButton href={href} size="small">
        {label}
      </LinkButton>
    );
  }
  return (
    <span class="button small" aria-disabled="true">
      {label}
    </span>
  );
}

/** The first, the last, and those around the present one; null stands for what is left out between. */
function nearby(page: number, pages: number): readonly (number | null)[] {
  const shown = [...new Set([1, page - 1, page, page + 1, pages])].filter((one) => one >= 1 && one <= pages);
  return shown.flatMap((one, index) => {
    const before = shown[index - 1];
    return before !== undefined && one > before + 1 ? [null, one] : [one];
  });
}

interface TabsProps {
  readonly label: string;
  readonly items: readonly {
    readonly href: string;
    readonly label: string;
    readonly isCurrent: boolean;
    readonly count?: number;
  }[];
}

/** Parts of one thing, each at its own address. */
export function Tabs({ label, items }: TabsProps) {
  const { figures } = useSpeech();
  return (
    <nav class="tabs" aria-label={label}>
      {items.map((item) => (
        <a href={item.href} {...(item.isCurrent ? { 'aria-current': 'page' } : {})}>
          {item.label}
          {item.count === undefined ? null : <span class="tag">{figures.count(item.count)}</span>}
        </a>
      ))}
    </nav>
  );
}
