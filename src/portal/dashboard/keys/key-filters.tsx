/** Above the list of keys: its search and its filters, each a link. */
import { keyStates } from '../../../identity/index.ts';
import { keysWords } from '../../languages/keys/index.ts';
import { Icon } from '../../ui/icon.tsx';
import { Filter } from '../../ui/menu.tsx';
import { useSpeech, useWords } from '../../ui/speech.tsx';
import { Search, Toolbar, withQuery } from '../../ui/table.tsx';
import type { KeyListProps } from './key-props.ts';

export function Filters({ here, query, departments, projects, keys, total, spend, pageSize }: KeyListProps) {
  const { list: words, states } = useWords(keysWords);
  const { common, figures } = useSpeech();
  const { search = '', state, owner, department, project, sort } = query;
  const chosen = {
    state,
    owner: owner?.toString(),
    department: department?.toString(),
    project: project?.toString(),
    sort,
  };
  const keeps = Object.fromEntries(
    Object.entries(chosen).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  ) as Readonly<Record<string, string>>;
  const options = (
    field: string,
    now: string | undefined,
    choices: readonly { readonly value: string; readonly label: string }[],
  ) =>
    [{ value: '', label: common.table.any }, ...choices].map(({ value, label }) => ({
      href: withQuery(here, { [field]: value === '' ? null : value, page: null }),
      label,
      isCurrent: value === (now ?? ''),
    }));
  const named = (all: readonly { readonly id: number; readonly name: string }[]) =>
    all.map(({ id, name }) => ({ value: String(id), label: name }));
  const filteredOwner = keys.find(({ ownerId }) => ownerId === owner);
  const sum = [...spend.values()].reduce((all, cost) => all + cost, 0n);
  const counted = words.total(total);
  return (
    <Toolbar search={<Search name="search" label={words.search} value={search} keeps={keeps} />}>
      <Filter
        id="state"
        name={words.state}
        options={options(
          'state',
          state,
          keyStates.map((value) => ({ value, label: states[value] })),
        )}
      />
      {departments.length < 2 && department === undefined ? null : (
        <Filter
          id="department"
          name={words.department}
          options={options('department', department?.toString(), named(departments))}
        />
      )}
      {projects.length === 0 && project === undefined ? null : (
        <Filter
          id="project"
          name={words.project}
          options={options('project', project?.toString(), named(projects))}
        />
      )}
      {owner === undefined ? null : (
        <a class="chip chosen" href={withQuery(here, { owner: null, page: null })}>
          <span class="quiet">{words.owner}</span>
          {filteredOwner?.ownerEmail ?? String(owner)}
          <Icon name="x" size={14} />
        </a>
      )}
      <span class="grow" />
      {total === 0 ? null : (
        <p class="quiet small number">
          {total > pageSize ? counted : words.totalSpend(counted, figures.usd(sum))}
        </p>
      )}
    </Toolbar>
  );
}
