/** What the usage page is asked, as one sentence of menus: each choice is a link, so that it is in the address. */
import type { Child } from 'hono/jsx';
import { mostLabelCharacters } from '../../../usage/index.ts';
import { usageWords } from '../../languages/usage/index.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu, MenuLink } from '../../ui/menu.tsx';
import { useSpeech, useWords } from '../../ui/speech.tsx';
import type { UsagePageProps } from './usage-facts.ts';
import {
  filterNames,
  groupings,
  metrics,
  planOf,
  ranges,
  steps,
  type UsageQuery,
  usageAt,
  usagePath,
} from './usage-query.ts';

const ofPeople: readonly string[] = ['person', 'organisation', 'department'];

export function Asking(page: UsagePageProps) {
  const { query, facts, isWide, named } = page;
  const { plan } = facts;
  const words = useWords(usageWords);
  const { figures } = useSpeech();
  const isOwn = query.from !== undefined || query.to !== undefined;
  const span = words.between(
    figures.shortDay(new Date(plan.fromMs)),
    figures.shortDay(new Date(plan.toMs - 1)),
  );
  const offered = groupings.filter(
    (by) => (by !== 'kind' || plan.metric === 'tokens') && (isWide || !ofPeople.includes(by)),
  );
  return (
    <div class="toolbar usage-asking">
      <Choice id="metric" name={words.show} value={words.metrics[plan.metric]}>
        {metrics.map((metric) => (
          <MenuLink
            href={usageAt(query, {
              metric,
              ...(plan.by === 'kind' && metric !== 'tokens' ? { by: undefined } : {}),
            })}
            isCurrent={metric === plan.metric}
          >
            {words.metrics[metric]}
          </MenuLink>
        ))}
      </Choice>
      <Choice id="by" name={words.by} value={words.groups[plan.by]}>
        {offered.map((by) => (
          <MenuLink href={usageAt(query, { by, every: undefined })} isCurrent={by === plan.by}>
            {words.groups[by]}
          </MenuLink>
        ))}
      </Choice>
      <Choice id="every" name={words.every} value={words.steps[plan.every]}>
        {steps
          .filter((every) => every === plan.every || isPossible(page, { ...query, every }))
          .map((every) => (
            <MenuLink href={usageAt(query, { every })} isCurrent={every === plan.every}>
              {words.steps[every]}
            </MenuLink>
          ))}
      </Choice>
      <Choice id="range" name={words.range} value={isOwn ? span : words.ranges[query.range ?? '30d']}>
        {ranges.map((range) => (
          <MenuLink
            href={usageAt(query, { range, from: undefined, to: undefined, every: undefined })}
            isCurrent={!isOwn && range === (query.range ?? '30d')}
          >
            {words.ranges[range]}
          </MenuLink>
        ))}
        <OwnDates {...page} />
      </Choice>
      {filterNames
        .filter((name) => query[name] !== undefined)
        .map((name) => (
          <a
            class="chip chosen"
            href={usageAt(query, { [name]: undefined })}
            title={words.removeFilter(words.groups[name])}
          >
            <span class="quiet">{words.groups[name]}</span>
            <span class="log-value">{named[name] ?? String(query[name])}</span>
            <Icon name="x" size={14} />
            <span class="hidden">{words.removeFilter(words.groups[name])}</span>
          </a>
        ))}
      <Filters {...page} />
    </div>
  );
}

/** Whether it can be asked so, by trying. */
function isPossible({ facts, isWide }: UsagePageProps, query: UsageQuery): boolean {
  const { plan } = facts;
  try {
    planOf(query, isWide ? { whose: 'everybody' } : { whose: 'person', userId: 0 }, plan.toMs);
    return true;
  } catch {
    return false;
  }
}

interface ChoiceProps {
  readonly id: string;
  readonly name: string;
  readonly value: string;
  readonly children?: Child;
}

function Choice({ id, name, value, children }: ChoiceProps) {
  return (
    <Menu
      id={`usage-${id}`}
      opener={{
        class: 'chip',
        content: (
          <>
            <span class="quiet">{name}</span>
            {value}
            <Icon name="chevron-down" size={14} />
          </>
        ),
      }}
    >
      {children}
    </Menu>
  );
}

function Kept({ query, without }: { readonly query: UsageQuery; readonly without: readonly string[] }) {
  const fields = new URLSearchParams(usageAt(query).split('?')[1] ?? '');
  return (
    <>
      {[...fields]
        .filter(([name]) => !without.includes(name))
        .map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
    </>
  );
}

function OwnDates({ query }: UsagePageProps) {
  const words = useWords(usageWords);
  return (
    <form class="form log-more" method="get" action={usagePath}>
      <Kept query={query} without={['from', 'to', 'range', 'every']} />
      <div class="log-pair">
        <TextField name="from" type="date" label={words.from} value={query.from ?? ''} />
        <TextField name="to" type="date" label={words.to} value={query.to ?? ''} />
      </div>
      <p class="form-actions">
        <Button>{words.apply}</Button>
      </p>
    </form>
  );
}

const typed = ['model', 'provider', 'tag', 'end_user', 'status'] as const;

function Filters({ query, choices, named }: UsagePageProps) {
  const words = useWords(usageWords);
  const { table } = useSpeech().common;
  const chosen = choices.map(({ name }) => name);
  return (
    <Menu
      id="usage-filter"
      opener={{
        class: 'chip',
        content: (
          <>
            <Icon name="filter" size={14} />
            {words.filter}
          </>
        ),
      }}
    >
      <form class="form log-more" method="get" action={usagePath}>
        {/* Hours are not there for everything that is chosen below. */}
        <Kept query={query} without={[...typed, ...chosen, ...(query.every === 'hour' ? ['every'] : [])]} />
        {choices.map(({ name, options }) => {
          const id = query[name];
          const isListed = id === undefined || options.some((option) => option.id === id);
          return (
            <SelectField
              name={name}
              label={words.groups[name]}
              value={id === undefined ? '' : String(id)}
              options={[
                { value: '', label: table.any },
                ...options.map((option) => ({ value: String(option.id), label: option.label })),
                ...(isListed ? [] : [{ value: String(id), label: named[name] ?? String(id) }]),
              ]}
            />
          );
        })}
        {typed.map((name) => (
          <TextField
            name={name}
            label={words.groups[name]}
            value={query[name]?.toString() ?? ''}
            maxLength={mostLabelCharacters}
          />
        ))}
        <p class="form-actions">
          <Button look="primary">{words.apply}</Button>
        </p>
      </form>
    </Menu>
  );
}
