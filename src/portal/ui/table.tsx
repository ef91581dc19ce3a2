/** The table: text left, numbers right, sorting in the address, rows that open, and two lines a row on a phone. */
import type { Child } from 'hono/jsx';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';
import { useSpeech } from './speech.tsx';

export interface Column<Row> {
  /** Of its own in the table; also what the address calls it when it sorts. */
  readonly key: string;
  readonly label: string;
  readonly cell: (row: Row) => Child;
  readonly isNumber?: boolean;
  /** Where the column goes when the table is narrow: away first, or away next. Others stay. */
  readonly leaves?: 'first' | 'next';
  /** Its corner of a row on a phone, or behind both lines what one does to it; columns without one are not shown there. */
  readonly phone?: 'name' | 'value' | 'detail' | 'state' | 'action';
  /** Where sorting by it leads, and how it is sorted now. */
  readonly sort?: { readonly href: string; readonly direction: 'ascending' | 'descending' | null };
  readonly title?: (row: Row) => string | undefined;
  /** Where its cells say what they are; it is read aloud all the same. */
  readonly isLabelHidden?: boolean;
}

interface TableProps<Row> {
  /** What the table lists; read aloud, and not shown. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** Where a row leads: its first cell becomes the link, and the whole row its surface. Needs the island `table` for the arrow keys. */
  readonly hrefOf?: (row: Row) => string;
  readonly isSelected?: (row: Row) => boolean;
  /** Instead of a table without rows. */
  readonly empty: Child;
  /** A last row of sums, by the key of its column. */
  readonly totals?: Readonly<Record<string, Child>>;
  /** The head stays under the top bar; for tables that are the page. */
  readonly isSticky?: boolean;
}

export function Table<Row>(props: TableProps<Row>) {
  const { caption, columns, rows, keyOf, empty, totals, hrefOf, isSticky = false } = props;
  if (rows.length === 0) return <>{empty}</>;
  // On a phone a table without corners for its rows keeps its columns and scrolls.
  const hasCorners = columns.some(({ phone }) => phone !== undefined);
  const names = [
    'table',
    ...(hrefOf === undefined ? [] : ['opens']),
    ...(isSticky ? ['sticky'] : []),
    ...(hasCorners ? ['corners'] : []),
  ];
  return (
    <div class={hasCorners ? 'table-box' : 'table-box scrolls'} tabindex={hasCorners ? undefined : 0}>
      {hasCorners && rows.length > 1 ? <SortMenu caption={caption} columns={columns} /> : null}
      <table class={names.join(' ')}>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head column={column} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <TableRow key={keyOf(row)} row={row} {...props} />
          ))}
        </tbody>
        {totals === undefined ? null : (
          <tfoot>
            <tr>
              {columns.map((column) => (
                <td class={classOf(column)} {...labelOf(column)}>
                  {totals[column.key]}
                </td>
              ))}
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  );
}

/** On a phone, where the head with its links is away. */
function SortMenu<Row>({ caption, columns }: Pick<TableProps<Row>, 'caption' | 'columns'>) {
  const { table } = useSpeech().common;
  const sorting = columns.flatMap(({ key, label, sort }) =>
    sort === undefined ? [] : [{ key, label, ...sort }],
  );
  if (sorting.length === 0) return null;
  const now = sorting.find(({ direction }) => direction !== null);
  return (
    <div class="table-sort">
      <Menu
        id={`sort-${caption.replaceAll(/\s+/g, '-')}`}
        align="end"
        opener={{
          class: 'chip',
          content: (
            <>
              <span class="quiet">{table.sort}</span>
              {now === undefined ? null : (
                <>
                  {now.label}
                  <SortMark direction={now.direction} />
                </>
              )}
              <Icon name="chevron-down" size={14} />
            </>
          ),
        }}
      >
        {sorting.map(({ href, label, direction }) => (
          <a class="item" href={href} {...(direction === null ? {} : { 'aria-current': 'true' })}>
            {label}
            <SortMark direction={direction} />
          </a>
        ))}
      </Menu>
    </div>
  );
}

function SortMark({ direction }: { readonly direction: 'ascending' | 'descending' | null }) {
  const { table } = useSpeech().common;
  if (direction === null) return null;
  return (
    <>
      <Icon name={direction === 'ascending' ? 'arrow-up' : 'arrow-down'} size={14} />
      <span class="hidden">{direction === 'ascending' ? table.sortAscending : table.sortDescending}</span>
    </>
  );
}

function Head<Row>({ column }: { readonly column: Column<Row> }) {
  const { label, sort, isLabelHidden = false } = column;
  const direction = sort?.direction ?? null;
  return (
    <th scope="col" class={classOf(column)} {...(direction === null ? {} : { 'aria-sort': direction })}>
      {sort === undefined ? (
        isLabelHidden ? (
          <span class="hidden">{label}</span>
        ) : (
          label
        )
      ) : (
        <a href={sort.href}>
          {label}
          <SortMark direction={direction} />
        </a>
      )}
    </th>
  );
}

function TableRow<Row>(props: TableProps<Row> & { readonly row: Row }) {
  const { row, columns, hrefOf, isSelected } = props;
  const isChosen = isSelected?.(row) === true;
  // The name is what a reader takes for the row; without one it is the first cell.
  const linked = columns.find(({ phone }) => phone === 'name') ?? columns[0];
  return (
    <tr {...(isChosen ? { class: 'chosen' } : {})}>
      {columns.map((column) => {
        const title = column.title?.(row);
        const content = column.cell(row);
        return (
          <td class={classOf(column)} {...labelOf(column)} {...(title === undefined ? {} : { title })}>
            {hrefOf !== undefined && column === linked ? (
              <a class="row-link" href={hrefOf(row)} {...(isChosen ? { 'aria-current': 'true' } : {})}>
                {content}
              </a>
            ) : (
              content
            )}
          </td>
        );
      })}
    </tr>
  );
}

function classOf<Row>({ isNumber = false, leaves, phone }: Column<Row>): string | undefined {
  const names = [
    ...(isNumber ? ['end'] : []),
    ...(leaves === undefined ? [] : [`leaves-${leaves}`]),
    ...(phone === undefined ? [] : [`phone-${phone}`]),
  ];
  return names.length === 0 ? undefined : names.join(' ');
}

/** A number alone below a name, as on a phone, does not say what it is of. */
const labelOf = <Row,>({ isNumber = false, phone, label }: Column<Row>) =>
  isNumber && phone === 'detail' ? { 'data-label': label } : {};

/** A thing with a name and, below it, what tells it from others. */
export function TwoLines({ name, detail }: { readonly name: Child; readonly detail: Child }) {
  return (
    <span class="two-lines">
      <span class="strong">{name}</span>
      <small>{detail}</small>
    </span>
  );
}

interface SortingProps {
  /** The address of the list with its query, such as `/keys?state=active`. */
  readonly here: string;
  readonly key: string;
  /** Which way a column sorts that was not sorted before: numbers usually downwards. */
  readonly begins: 'ascending' | 'descending';
}

/** The `sort` of a column: the address carries `sort=name`, downwards `sort=-name`; the page begins again at its start. */
export function sortBy({ here, key, begins }: SortingProps): NonNullable<Column<unknown>['sort']> {
  const [path = '', query = ''] = here.split('?');
  const fields = new URLSearchParams(query);
  const now = fields.get('sort');
  const direction = now === key ? 'ascending' : now === `-${key}` ? 'descending' : null;
  const next = direction === null ? begins : direction === 'ascending' ? 'descending' : 'ascending';
  fields.set('sort', next === 'ascending' ? key : `-${key}`);
  fields.delete('page');
  return { href: `${path}?${fields}`, direction };
}

/** An address with some fields of its query changed, and without those that are null: for filters and pages. */
export function withQuery(here: string, changes: Readonly<Record<string, string | null>>): string {
  const [path = '', query = ''] = here.split('?');
  const fields = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) fields.delete(name);
    else fields.set(name, value);
  }
  return fields.size === 0 ? path : `${path}?${fields}`;
}

/** Above a table: search and filters; on a phone the search has a line of its own, and filters are drawn sideways and fade at the edge. */
export function Toolbar({ search, children }: { readonly search?: Child; readonly children?: Child }) {
  return (
    <div class="toolbar">
      {search}
      <div class="toolbar-filters">{children}</div>
    </div>
  );
}

interface SearchProps {
  /** What the address calls it. */
  readonly name: string;
  readonly label: string;
  readonly value?: string | undefined;
  /** Fields of the address that a search keeps. */
  readonly keeps?: Readonly<Record<string, string>>;
}

/** A search of the list, sent as a form: it is in the address, and works without a script. */
export function Search({ name, label, value, keeps = {} }: SearchProps) {
  return (
    <search class="search">
      <form method="get">
        {Object.entries(keeps).map(([field, kept]) => (
          <input type="hidden" name={field} value={kept} />
        ))}
        <Icon name="search" />
        <input class="input" type="search" name={name} value={value} aria-label={label} placeholder={label} />
      </form>
    </search>
  );
}
