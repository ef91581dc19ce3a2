/** The frames of pages that need no sign-in: the public site with header and footer, and the plain one with the mark alone. */
import type { Child } from 'hono/jsx';
import type { Brand } from './brand.ts';
import { LinkButton } from './button.tsx';
import { Callout } from './callout.tsx';
import { Icon } from './icon.tsx';
import { Mark } from './mark.tsx';
import { Menu } from './menu.tsx';
import type { Drawing, Viewer } from './page.ts';
import { LanguageSwitch, ThemeSwitch } from './preferences.tsx';
import { siteLinks } from './site-links.ts';
import { useSpeech } from './speech.tsx';
import { Toast } from './toast.tsx';

interface FrameProps {
  readonly drawing: Drawing;
  readonly viewer?: Viewer | undefined;
  readonly children?: Child;
}

export function PublicFrame({ drawing, viewer, children }: FrameProps) {
  const { common } = useSpeech();
  const { brand } = drawing.visit;
  const path = drawing.here.replace(/\?.*$/, '');
  const { header, footer } = siteLinks;
  return (
    <div class="site">
      <header class="site-top">
        <BrandLink brand={brand} href="/" />
        {header.length === 0 ? null : (
          <nav class="site-links" aria-label={common.frame.site}>
            <SiteLinks path={path} />
          </nav>
        )}
        <span class="grow" />
        <ThemeSwitch visit={drawing.visit} here={drawing.wayBack} />
        <LinkButton href="/dashboard" look={viewer === undefined ? 'ghost' : 'primary'}>
          {viewer === undefined ? common.frame.signIn : common.frame.openDashboard}
        </LinkButton>
        {viewer === undefined ? (
          <span class="site-begin">
            <LinkButton href="/signup" look="primary">
              {common.frame.createAccount}
            </LinkButton>
          </span>
        ) : null}
        {header.length === 0 ? null : (
          <div class="site-menu">
            <Menu
              id="site"
              label={common.frame.openNavigation}
              opener={{ class: 'button ghost square', content: <Icon name="menu" size={20} /> }}
              align="end"
            >
              <nav aria-label={common.frame.site}>
                <SiteLinks path={path} look="item" />
              </nav>
            </Menu>
          </div>
        )}
      </header>
      <main id="content">{children}</main>
      <footer class="site-foot">
        <div>
          <BrandLink brand={brand} href="/" />
          <p class="quiet small">{common.frame.slogan}</p>
        </div>
        {footer.map(({ name, links }) => (
          <nav aria-label={common.site[name]}>
            <h2>{common.site[name]}</h2>
            <ul>
              {links.map((link) => (
                <li>
                  <a href={link.href}>{common.site[link.name]}</a>
                </li>
              ))}
            </ul>
          </nav>
        ))}
        <div class="site-language">
          <h2>{common.preferences.language}</h2>
          <LanguageSwitch visit={drawing.visit} here={drawing.wayBack} />
        </div>
      </footer>
      {drawing.message === null ? null : <Toast {...drawing.message} />}
    </div>
  );
}

/** In a line of the header, or below each other in its menu on a phone. */
function SiteLinks({ path, look }: { readonly path: string; readonly look?: 'item' }) {
  const { common } = useSpeech();
  return (
    <>
      {siteLinks.header.map(({ href, name }) => (
        <a class={look} href={href} {...(href === path ? { 'aria-current': 'page' } : {})}>
          {common.site[name]}
        </a>
      ))}
    </>
  );
}

/** One thing to read or to fill in, in the middle of the page. */
export function PlainFrame({ drawing, children }: FrameProps) {
  const { visit, wayBack, message } = drawing;
  // What was wrong stands where people look, above the form.
  const isWrong = message?.tone === 'bad';
  return (
    <div class="plain">
      <header>
        <BrandLink brand={visit.brand} href="/" />
        <span class="grow" />
        <ThemeSwitch visit={visit} here={wayBack} />
      </header>
      <main id="content">
        {isWrong ? (
          <div class="wrong" role="alert">
            <Callout tone="bad">
              <p>{message.text}</p>
            </Callout>
          </div>
        ) : null}
        {children}
      </main>
      <footer>
        <LanguageSwitch visit={visit} here={wayBack} />
      </footer>
      {message === null || isWrong ? null : <Toast {...message} />}
    </div>
  );
}

export function BrandLink({ brand, href }: { readonly brand: Brand; readonly href: string }) {
  return (
    <a class="brand" href={href}>
      {brand.logoPath === null ? <Mark /> : <img src={brand.logoPath} alt="" height="20" />}
      <span>{brand.name}</span>
    </a>
  );
}
