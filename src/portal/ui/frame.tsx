/** The frame of whoever is signed in: the side bar, and the top bar with organisation, search, balance and account. */
import type { Child } from 'hono/jsx';
import { AdminBar, AdminEntry, OrganisationSwitch } from './admin-bar.tsx';
import { PostButton } from './button.tsx';
import { usdOf } from './figures.ts';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';
import { type Destination, destinationsOf, isCurrent } from './navigation.ts';
import type { Drawing, Layout, Viewer } from './page.ts';
import { Palette } from './palette.tsx';
import { LanguageSwitch, ThemeSwitch } from './preferences.tsx';
import { BrandLink } from './public-frame.tsx';
import { useSpeech } from './speech.tsx';
import { Toast } from './toast.tsx';
import { Breadcrumb } from './way.tsx';

type SignedInLayout = Extract<Layout, { readonly kind: 'signed-in' | 'administration' }>;

export function SignedInFrame({
  drawing,
  layout,
  children,
}: {
  readonly drawing: Drawing;
  readonly layout: SignedInLayout;
  readonly children?: Child;
}) {
  const { viewer, trail = [], isFlush = false } = layout;
  const path = drawing.here.replace(/\?.*$/, '');
  return (
    <div class="app">
      <SideBar viewer={viewer} path={path} drawing={drawing} />
      <div class="grow">
        <TopBar viewer={viewer} path={path} drawing={drawing} />
        <AdminBar viewer={viewer} path={path} />
        <main id="content" class={isFlush ? 'main flush' : 'main'}>
          {trail.length === 0 ? null : <Breadcrumb trail={trail} here={drawing.page.title} />}
          {children}
        </main>
      </div>
      <Palette viewer={viewer} jumps={layout.jumps ?? []} />
      {drawing.message === null ? null : <Toast {...drawing.message} />}
    </div>
  );
}

interface BarProps {
  readonly viewer: Viewer;
  /** Of the page, without its query. */
  readonly path: string;
  readonly drawing: Drawing;
}

/** On a narrow screen it is a popover: the browser opens it as a sheet, and closes it with Escape or a touch beside it. */
function SideBar({ viewer, path, drawing }: BarProps) {
  const { frame } = useSpeech().common;
  return (
    <aside class="side" id="side" popover="auto" aria-label={drawing.visit.brand.name}>
      <BrandLink brand={drawing.visit.brand} href="/dashboard" />
      <button
        type="button"
        class="button ghost square close"
        popovertarget="side"
        popovertargetaction="hide"
        aria-label={frame.closeNavigation}
      >
        <Icon name="x" />
      </button>
      {destinationsOf(viewer).map(({ isAdministration, destinations }) => (
        <nav aria-label={isAdministration ? frame.administration : frame.main}>
          {isAdministration ? <h2>{frame.administration}</h2> : null}
          <ul>
            {destinations.map((destination) => (
              <li>
                <SideLink destination={destination} path={path} />
              </li>
            ))}
          </ul>
          {isAdministration ? <AdminEntry viewer={viewer} path={path} /> : null}
        </nav>
      ))}
    </aside>
  );
}

function SideLink({ destination, path }: { readonly destination: Destination; readonly path: string }) {
  const { pages } = useSpeech().common;
  const { href, icon, name } = destination;
  return (
    <a href={href} {...(isCurrent(href, path) ? { 'aria-current': 'page' } : {})}>
      <Icon name={icon} />
      {pages[name]}
    </a>
  );
}

function TopBar({ viewer, path, drawing }: BarProps) {
  const { frame, palette } = useSpeech().common;
  return (
    <header class="top">
      <button
        type="button"
        class="button ghost square burger"
        popovertarget="side"
        aria-label={frame.openNavigation}
      >
        <Icon name="menu" size={20} />
      </button>
      <OrganisationSwitch viewer={viewer} path={path} />
      <span class="grow" />
      <button type="button" class="search-opener" command="show-modal" commandfor="palette">
        <Icon name="search" />
        <span>{palette.open}</span>
        <kbd>⌘K</kbd>
      </button>
      {viewer.balance === null ? null : <Balance {...viewer.balance} />}
      <ThemeSwitch visit={drawing.visit} here={drawing.wayBack} />
      <Account viewer={viewer} drawing={drawing} />
    </header>
  );
}

function Balance({ nanoUsd, daysLeft }: NonNullable<Viewer['balance']>) {
  const { common, figures } = useSpeech();
  // Cut and not rounded: nobody has more than they have.
  const { dollars, sign } = figures.balance(nanoUsd);
  // The vessel is full at a month's worth; without a rate it says only whether there is money.
  const level = daysLeft === null ? (usdOf(nanoUsd) > 0 ? 0.6 : 0) : Math.min(1, daysLeft / 30);
  return (
    <a class="balance" href="/dashboard#balance">
      <Level share={level} />
      <span class="hidden">{common.frame.balance}</span>
      <span class="strong number">{`${dollars}${sign}`}</span>
      {daysLeft === null ? null : (
        <span class="quiet small wide-only">{common.frame.daysLeft(daysLeft)}</span>
      )}
    </a>
  );
}

/** A vessel, filled so far. */
function Level({ share }: { readonly share: number }) {
  const height = 9.5 * share;
  return (
    <svg class="level" viewBox="0 0 14 14" width="14" height="14" aria-hidden="true">
      <path d="M.75 0v10.500q0 2.750 2.750 2.750h7q2.750 0 2.750-2.750V0" />
      <rect x="2.5" y={11.5 - height} width="9" height={height} />
    </svg>
  );
}

function Account({ viewer, drawing }: Omit<BarProps, 'path'>) {
  const { frame, preferences } = useSpeech().common;
  return (
    <Menu
      id="account"
      opener={{
        class: 'avatar',
        content: (
          <>
            <span aria-hidden="true">{initialsOf(viewer)}</span>
            <span class="hidden">{frame.account(viewer.email)}</span>
          </>
        ),
      }}
      align="end"
    >
      <p class="who">
        {viewer.name === undefined ? null : <span class="strong">{viewer.name}</span>}
        <span class="quiet small">{viewer.email}</span>
      </p>
      <hr />
      <div class="narrow-only row">
        <span class="quiet small heading grow">{preferences.theme}</span>
        <ThemeSwitch visit={drawing.visit} here={drawing.wayBack} />
      </div>
      <p class="quiet small heading">{preferences.language}</p>
      <LanguageSwitch visit={drawing.visit} here={drawing.wayBack} />
      <hr />
      <PostButton to="/logout" look="item">
        <Icon name="log-out" />
        {frame.signOut}
      </PostButton>
    </Menu>
  );
}

function initialsOf({ name, email }: Viewer): string {
  const words = (name ?? email.replace(/@.*/, '')).split(/[\s._-]+/).filter((word) => word !== '');
  const initials = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => word?.slice(0, 1));
  return initials.join('').toUpperCase();
}
