/** The list of keys: what each may do, what it costs, and what is left of its budget. */
import type { ListedKey } from '../../../identity/index.ts';
import { keysWords } from '../../languages/keys/index.ts';
import { LinkButton, PostButton } from '../../ui/button.tsx';
import { Empty } from '../../ui/callout.tsx';
import { usdOf } from '../../ui/figures.ts';
import { Icon } from '../../ui/icon.tsx';
import { Menu, MenuLink } from '../../ui/menu.tsx';
import { Moment, useSpeech, useWords } from '../../ui/speech.tsx';
import { sortBy, Table, TwoLines, withQuery } from '../../ui/table.tsx';
import { Pagination } from '../../ui/way.tsx';
import { Filters } from './key-filters.tsx';
import { BudgetLine, Course, KeyMark, tightestOf } from './key-parts.tsx';
import type { KeyListProps } from './key-props.ts';
import { keyPath, keysPath, rightsTo, visibleToken } from './the-key.ts';

export function KeyList(props: KeyListProps) {
  const words = useWords(keysWords);
  const { total, page, pageSize, here } = props;
  return (
    <>
      <div class="page-head">
        <h1>{words.title}</h1>
        <LinkButton look="primary" href={`${keysPath}/new`} icon="plus">
          {words.list.create}
        </LinkButton>
      </div>
      <Filters {...props} />
      <Keys {...props} />
      <Pagination
        page={page}
        pageSize={pageSize}
        total={total}
        hrefOf={(number) => withQuery(here, { page: number === 1 ? null : String(number) })}
      />
    </>
  );
}

function Keys(props: KeyListProps) {
  const { list: words, title } = useWords(keysWords);
  const { figures } = useSpeech();
  const { neverUsed } = useWords(keysWords).detail;
  const { keys, here, budgets, spend, courses, days, isOfMany, user, nowMs, query } = props;
  const writePart = figures.partsOfUsd(keys.reduce((sum, { id }) => sum + (spend.get(id) ?? 0n), 0n));
  const sort = (key: string, begins: 'ascending' | 'descending') => ({ sort: sortBy({ here, key, begins }) });
  const budgetsOf = Map.groupBy(budgets, ({ subject }) => subject.id);
  const { search, state, owner, department, project } = query;
  const isNarrowed = [search, state, owner, department, project].some((value) => value !== undefined);
  return (
    <Table
      caption={title}
      rows={keys}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => keyPath(id)}
      isSticky
      empty={<NoKeys isNarrowed={isNarrowed} />}
      columns={[
        {
          key: 'name',
          label: words.name,
          phone: 'name',
          ...sort('name', 'ascending'),
          cell: (key) => (
            <span class="key-name">
              <KeyMark state={key.state} />
              <TwoLines
                name={key.name}
                detail={<code>{visibleToken(key.tokenPrefix, key.tokenLastFour)}</code>}
              />
            </span>
          ),
        },
        ...(isOfMany
          ? [
              {
                key: 'owner',
                label: words.ownerAndPlace,
                leaves: 'next' as const,
                ...sort('owner', 'ascending'),
                cell: ({ ownerId, ownerName, ownerEmail, projectName, departmentName }: ListedKey) => (
                  <TwoLines
                    name={projectName ?? departmentName ?? (ownerName === '' ? ownerEmail : ownerName)}
                    detail={
                      <a href={withQuery(here, { owner: String(ownerId), page: null })}>{ownerEmail}</a>
                    }
                  />
                ),
              },
            ]
          : []),
        {
          key: 'use',
          label: words.mayUse,
          leaves: 'next',
          cell: ({ allowedModels }) => <MayUse models={allowedModels} />,
        },
        {
          key: 'course',
          label: words.course,
          leaves: 'first',
          cell: ({ id }) => <Course values={days.map((day) => usdOf(courses.get(id)?.get(day) ?? 0n))} />,
        },
        {
          key: 'spend',
          label: words.spend,
          isNumber: true,
          phone: 'value',
          ...sort('spend', 'descending'),
          cell: ({ id }) => <span class="strong">{writePart(spend.get(id) ?? 0n)}</span>,
        },
        {
          key: 'budget',
          label: words.budget,
          phone: 'detail',
          cell: ({ id, tokenPrefix, tokenLastFour }) => {
            const tightest = tightestOf(budgetsOf.get(id) ?? []);
            return tightest === undefined ? (
              <>
                <span class="quiet key-no-budget" title={words.noBudget}>
                  –
                </span>
                <code class="key-in-place">{visibleToken(tokenPrefix, tokenLastFour)}</code>
              </>
            ) : (
              <BudgetLine budget={tightest} />
            );
          },
        },
        {
          key: 'expiry',
          label: words.expires,
          isNumber: true,
          leaves: 'first',
          ...sort('expiry', 'ascending'),
          cell: ({ expiresAt }) =>
            expiresAt === null ? (
              <span class="quiet">{words.never}</span>
            ) : (
              <Moment at={expiresAt} nowMs={nowMs} />
            ),
        },
        {
          key: 'used',
          label: words.lastUsed,
          isNumber: true,
          phone: 'state',
          ...sort('used', 'descending'),
          cell: ({ lastUsedAt }) =>
            lastUsedAt === null ? (
              <span class="quiet">{neverUsed}</span>
            ) : (
              <Moment at={lastUsedAt} nowMs={nowMs} />
            ),
        },
        {
          key: 'actions',
          label: words.actions,
          isLabelHidden: true,
          isNumber: true,
          phone: 'action',
          cell: (key) => <Actions apiKey={key} user={user} />,
        },
      ]}
    />
  );
}

function MayUse({ models }: { readonly models: readonly string[] | null }) {
  const { list: words } = useWords(keysWords);
  if (models === null) return <span class="may-use">{words.allModels}</span>;
  if (models.length === 0) return <span class="may-use">{words.noModels}</span>;
  return (
    <span class={models.length === 1 ? undefined : 'may-use'} title={models.slice(0, 50).join(', ')}>
      {models.length === 1 ? models[0] : words.models(models.length)}
    </span>
  );
}

function Actions({ apiKey, user }: Pick<KeyListProps, 'user'> & { readonly apiKey: ListedKey }) {
  const { list: words, detail } = useWords(keysWords);
  const { id, name, state, managedBy, enabled, owner } = apiKey;
  const { mayManage, mayRotate } = rightsTo(apiKey, user, owner);
  const isChangeable = mayManage && state !== 'revoked' && managedBy === null;
  return (
    <Menu
      id={`key-${id}`}
      label={words.actionsOf(name)}
      align="end"
      opener={{ class: 'button ghost square row-actions', content: <Icon name="ellipsis" /> }}
    >
      <MenuLink href={keyPath(id)}>{words.open}</MenuLink>
      {isChangeable ? (
        <>
          <MenuLink href={`${keyPath(id)}/edit`}>{words.edit}</MenuLink>
          {mayRotate ? <MenuLink href={`${keyPath(id)}#rotate`}>{words.rotate}</MenuLink> : null}
        </>
      ) : null}
      <MenuLink href={`${keysPath}/new?from=${id}`}>{words.duplicate}</MenuLink>
      <MenuLink href={`/dashboard/request-log?key=${id}`}>{words.requests}</MenuLink>
      {isChangeable ? (
        <PostButton to={`${keyPath(id)}/${enabled ? 'disable' : 'enable'}`} look="item">
          {enabled ? detail.disable : detail.enable}
        </PostButton>
      ) : null}
      {mayManage && state !== 'revoked' ? (
        <MenuLink href={`${keyPath(id)}#revoke`} isDanger>
          {detail.revoke}
        </MenuLink>
      ) : null}
    </Menu>
  );
}

function NoKeys({ isNarrowed }: { readonly isNarrowed: boolean }) {
  const { list: words } = useWords(keysWords);
  if (isNarrowed) {
    return (
      <Empty
        icon="search"
        title={words.nothingFits}
        action={<LinkButton href={keysPath}>{words.clear}</LinkButton>}
      >
        <p>{words.nothingFitsDetail}</p>
      </Empty>
    );
  }
  return (
    <Empty
      icon="key-round"
      title={words.none}
      action={
        <LinkButton look="primary" href={`${keysPath}/new`}>
          {words.create}
        </LinkButton>
      }
    >
      <p>{words.noneDetail}</p>
    </Empty>
  );
}
