/** Above the request log: what it is narrowed to, each choice a link, and a form for what has no few choices. */
import { mostLabelCharacters } from '../../../usage/index.ts';
import { requestsWords } from '../../languages/requests/index.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Filter, Menu } from '../../ui/menu.tsx';
import { useSpeech, useWords } from '../../ui/speech.tsx';
import { Search, Toolbar } from '../../ui/table.tsx';
import { type LogQuery, listAt, logPath, type PageQuery, ranges, statusChoices } from './log-query.ts';

export interface Choices {
  readonly models: readonly string[];
  readonly providers: readonly string[];
  readonly keys: readonly { readonly id: number; readonly name: string }[];
}

interface FiltersProps {
  readonly query: PageQuery;
  readonly choices: Choices;
  /** What ids of the filter are called. */
  readonly named: Readonly<Partial<Record<keyof LogQuery, string>>>;
}

export function LogFilters({ query, choices, named }: FiltersProps) {
  const { filters } = useWords(requestsWords);
  return (
    <>
      <Toolbar
        search={<Search name="id" label={filters.id} value={query.id} keeps={keptBeside(query, ['id'])} />}
      >
        <RangeFilter query={query} />
        <ChoiceFilter
          field="status"
          name={filters.status}
          query={query}
          choices={statusChoices.map((value) => ({ value, label: labelOfStatus(value, filters) }))}
        />
        <ChoiceFilter
          field="model"
          name={filters.model}
          query={query}
          choices={choices.models.map(asChoice)}
        />
        <ChoiceFilter
          field="provider"
          name={filters.provider}
          query={query}
          choices={choices.providers.map(asChoice)}
        />
        <ChoiceFilter
          field="key"
          name={filters.key}
          query={query}
          choices={choices.keys.map(({ id, name }) => ({ value: String(id), label: name }))}
        />
        <MoreFilters query={query} />
        <ClearAll {...{ query, choices, named }} />
      </Toolbar>
      <Chosen query={query} choices={choices} named={named} />
    </>
  );
}

const asChoice = (value: string) => ({ value, label: value });

const labelOfStatus = (
  value: (typeof statusChoices)[number],
  { ok, failed }: { readonly ok: string; readonly failed: string },
): string => (value === 'ok' ? ok : value === 'failed' ? failed : value);

/** Fields of the address that a form keeps which sends others. */
function keptBeside(query: PageQuery, sent: readonly string[]): Readonly<Record<string, string>> {
  const fields = new URLSearchParams(listAt(query).split('?')[1] ?? '');
  return Object.fromEntries([...fields].filter(([name]) => !sent.includes(name)));
}

function RangeFilter({ query }: { readonly query: PageQuery }) {
  const { ranges: words } = useWords(requestsWords);
  const { figures } = useSpeech();
  const { from, to } = query;
  const day = (text: string) => figures.shortDay(new Date(text));
  const days =
    from !== undefined && to !== undefined
      ? words.between(day(from), day(to))
      : from !== undefined
        ? words.since(day(from))
        : to !== undefined
          ? words.until(day(to))
          : null;
  const chosen = query.range ?? 'week';
  return (
    <Menu
      id="range"
      opener={{
        class: days === null && query.range === undefined ? 'chip' : 'chip chosen',
        content: (
          <>
            <span class="quiet">{words.name}</span>
            {days ?? words[chosen]}
            <Icon name="chevron-down" size={14} />
          </>
        ),
      }}
    >
      {ranges.map((range) => (
        <a
          class="item"
          href={listAt(query, { range, from: undefined, to: undefined })}
          {...(days === null && range === chosen ? { 'aria-current': 'true' } : {})}
        >
          {words[range]}
        </a>
      ))}
    </Menu>
  );
}

interface ChoiceProps {
  readonly field: 'status' | 'model' | 'provider' | 'key';
  readonly name: string;
  readonly query: PageQuery;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
}

/** What is chosen and not among the usual choices is shown among those that can be taken away. */
function ChoiceFilter({ field, name, query, choices }: ChoiceProps) {
  const { table } = useSpeech().common;
  const now = query[field];
  return (
    <Filter
      id={field}
      name={name}
      options={[
        { href: listAt(query, { [field]: undefined }), label: table.any, isCurrent: now === undefined },
        ...choices.map(({ value, label }) => ({
          ...{ href: listAt(query, { [field]: value }), label },
          isCurrent: now !== undefined && String(now) === value,
        })),
      ]}
    />
  );
}

const typed = ['session', 'tag', 'end_user', 'error', 'from', 'to', 'min_cost', 'min_seconds'] as const;

function MoreFilters({ query }: { readonly query: PageQuery }) {
  const { filters } = useWords(requestsWords);
  const value = (name: (typeof typed)[number]) => query[name]?.toString() ?? '';
  return (
    <Menu
      id="more"
      align="end"
      opener={{
        class: 'chip',
        content: (
          <>
            <Icon name="filter" size={14} />
            {filters.more}
          </>
        ),
      }}
    >
      <form class="form log-more" method="get" action={logPath}>
        {Object.entries(keptBeside(query, typed)).map(([name, kept]) => (
          <input type="hidden" name={name} value={kept} />
        ))}
        <div class="log-pair">
          <TextField name="from" type="date" label={filters.from} value={value('from')} />
          <TextField name="to" type="date" label={filters.to} value={value('to')} />
        </div>
        <TextField
          name="session"
          label={filters.session}
          value={value('session')}
          maxLength={mostLabelCharacters}
        />
        <div class="log-pair">
          <TextField name="tag" label={filters.tag} value={value('tag')} maxLength={mostLabelCharacters} />
          <TextField
            name="end_user"
            label={filters.endUser}
            value={value('end_user')}
            maxLength={mostLabelCharacters}
          />
        </div>
        <TextField
          name="error"
          label={filters.error}
          value={value('error')}
          maxLength={mostLabelCharacters}
          isMono
        />
        <div class="log-pair">
          <TextField
            name="min_cost"
            label={filters.minCost}
            value={value('min_cost')}
            before="$"
            inputmode="decimal"
          />
          <TextField
            name="min_seconds"
            label={filters.minSeconds}
            value={value('min_seconds')}
            behind="s"
            inputmode="decimal"
          />
        </div>
        <p class="form-actions">
          <Button look="primary">{filters.apply}</Button>
        </p>
      </form>
    </Menu>
  );
}

/** What is narrowed to, and what of it no menu shows. */
function useChosen({ query, choices }: FiltersProps) {
  const { filters, detail } = useWords(requestsWords);
  const names = {
    id: filters.id,
    person: filters.person,
    organisation: detail.organisation,
    department: filters.department,
    project: filters.project,
    session: filters.session,
    tag: filters.tag,
    end_user: filters.endUser,
    error: filters.error,
    min_cost: filters.minCost,
    min_seconds: filters.minSeconds,
    status: filters.status,
    model: filters.model,
    provider: filters.provider,
    key: filters.key,
  } as const satisfies Partial<Record<keyof LogQuery, string>>;
  const inMenus: Readonly<Partial<Record<keyof LogQuery, readonly (string | number)[]>>> = {
    status: statusChoices,
    model: choices.models,
    provider: choices.providers,
    key: choices.keys.map(({ id }) => id),
  };
  const set = (Object.keys(names) as (keyof typeof names)[]).filter((field) => query[field] !== undefined);
  const unseen = set.filter((field) => inMenus[field]?.includes(query[field] ?? '') !== true);
  return { names, isNarrowed: set.length > 0, unseen };
}

/** Beside the menus, where they show all that is chosen. */
function ClearAll(props: FiltersProps) {
  const { isNarrowed, unseen } = useChosen(props);
  return isNarrowed && unseen.length === 0 ? <Clear /> : null;
}

function Clear() {
  const { filters } = useWords(requestsWords);
  return (
    <LinkButton look="ghost" size="small" href={logPath}>
      {filters.clear}
    </LinkButton>
  );
}

function Chosen(props: FiltersProps) {
  const { query, named } = props;
  const { filters } = useWords(requestsWords);
  const { names, unseen } = useChosen(props);
  if (unseen.length === 0) return null;
  return (
    <p class="row log-chosen">
      {unseen.map((field) => (
        <a
          class="chip chosen"
          href={listAt(query, { [field]: undefined })}
          title={filters.remove(names[field])}
        >
          <span class="quiet">{names[field]}</span>
          <span class="log-value">{named[field] ?? String(query[field])}</span>
          <Icon name="x" size={14} />
          <span class="hidden">{filters.remove(names[field])}</span>
        </a>
      ))}
      <Clear />
    </p>
  );
}
