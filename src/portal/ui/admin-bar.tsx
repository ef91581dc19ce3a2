/** What an admin looks at: said in a bar above the page, with the way out of it, and the switch between organisations. */
import { PostButton } from './button.tsx';
import { Icon } from './icon.tsx';
import { Menu, MenuLink } from './menu.tsx';
import { destinationsOf, isCurrent } from './navigation.ts';
import type { Viewer } from './page.ts';
import { useSpeech } from './speech.tsx';

const toggle = '/dashboard/toggle-admin-mode';
/** From so many on they are searched rather than read. */
const manyOrganisations = 9;

interface Placed {
  readonly viewer: Viewer;
  /** Of the page, without its query. */
  readonly path: string;
}

/** The list that a page belongs to: what is open there may not be in what is looked at next. */
function listOf({ viewer, path }: Placed): string {
  const all = destinationsOf(viewer).flatMap(({ destinations }) => destinations);
  return all.find(({ href }) => isCurrent(href, path))?.href ?? '/dashboard';
}

export function AdminBar({ viewer, path }: Placed) {
  const { looking } = useSpeech().common.frame;
  const { administration = 'off', organisation } = viewer;
  if (administration === 'off') return null;
  const said = {
    everybody: looking.everybody,
    organisation: looking.organisation(organisation ?? ''),
    department: looking.department(organisation ?? ''),
    person: looking.person,
  };
  return (
    <aside class="admin-bar" aria-label={looking.label}>
      <Icon name="eye" />
      <p>{said[administration]}</p>
      <PostButton to={toggle} fields={{ next: listOf({ viewer, path }), admin_mode: 'off' }} size="small">
        {looking.leave}
      </PostButton>
    </aside>
  );
}

/** Where an admin who looks at their own things begins to look at those of others. */
export function AdminEntry({ viewer, path }: Placed) {
  const { looking } = useSpeech().common.frame;
  if (viewer.administration !== 'off') return null;
  return (
    <PostButton
      to={toggle}
      fields={{ next: listOf({ viewer, path }), admin_mode: 'on' }}
      look="item"
      icon="eye"
    >
      {looking.enter}
    </PostButton>
  );
}

/** What is looked at, and for who may look at more, what else there is. */
export function OrganisationSwitch(placed: Placed) {
  const { frame } = useSpeech().common;
  const { organisation, email, administration } = placed.viewer;
  const isOwn = administration === 'off';
  const shown = isOwn
    ? frame.looking.own
    : (organisation ?? (administration === 'everybody' ? frame.looking.all : frame.personal));
  const label = (
    <>
      <span class="initial" aria-hidden="true">
        {((isOwn ? null : organisation) ?? email).slice(0, 1).toUpperCase()}
      </span>
      <span class="organisation-name">{shown}</span>
    </>
  );
  if (administration === undefined || administration === 'person') return <p class="organisation">{label}</p>;
  return (
    <Menu
      id="organisation"
      opener={{
        class: 'organisation',
        content: (
          <>
            {label}
            <Icon name="chevrons-up-down" size={14} />
          </>
        ),
      }}
    >
      <Views {...placed} shown={shown} />
    </Menu>
  );
}

function Views({ viewer, path, shown }: Placed & { readonly shown: string }) {
  const { looking } = useSpeech().common.frame;
  const { organisation, organisations = [], hasMoreOrganisations = false, administration } = viewer;
  const next = listOf({ viewer, path });
  const change = (label: string) => (
    <PostButton
      to={toggle}
      fields={{ next, admin_mode: administration === 'off' ? 'on' : 'off' }}
      look="item"
    >
      {label}
    </PostButton>
  );
  const present = (
    <MenuLink href={next} isCurrent>
      {shown}
      {administration === 'off' && organisation !== null ? (
        <span class="quiet small">{organisation}</span>
      ) : null}
    </MenuLink>
  );
  if (administration === 'off') {
    return (
      <>
        {present}
        {change(looking.everything)}
      </>
    );
  }
  return (
    <>
      {change(looking.own)}
      {organisations.length < 2 ? present : null}
      {hasMoreOrganisations || organisations.length > manyOrganisations ? (
        <button type="button" class="item" command="show-modal" commandfor="palette">
          <Icon name="search" size={14} />
          {looking.find}
        </button>
      ) : null}
      {organisations.length < 2
        ? null
        : organisations.map(({ name, isCurrent: isChosen, to, fields }) => (
            <PostButton to={to} fields={{ ...fields, next }} look="item">
              {name ?? looking.all}
              {isChosen ? <Icon name="check" size={14} /> : null}
            </PostButton>
          ))}
    </>
  );
}
