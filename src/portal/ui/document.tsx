/** The frame that every page stands in. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Child } from 'hono/jsx';
import { markPath, stylesheetPath } from './assets.tsx';
import { Mark } from './mark.tsx';
import { PostButton } from './post-button.tsx';

export interface Page {
  readonly title: string;
  readonly content: Child;
  /** Whose page it is; left out on public ones. */
  readonly signedInAs?: string;
}

export function renderPage(context: Context, page: Page): Response | Promise<Response> {
  return context.html(html`<!doctype html>${<Document {...page} />}`);
}

function Document({ title, content, signedInAs }: Page) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Sluice`}</title>
        <link rel="icon" type="image/svg+xml" href={markPath} />
        <link rel="stylesheet" href={stylesheetPath} />
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <header class="bar">
          <a class="brand" href={signedInAs === undefined ? '/' : '/dashboard'}>
            <Mark />
            Sluice
          </a>
          {signedInAs === undefined ? null : <Account email={signedInAs} />}
        </header>
        <main id="content">{content}</main>
      </body>
    </html>
  );
}

function Account({ email }: { readonly email: string }) {
  return (
    <nav class="account" aria-label="Account">
      <span class="email">{email}</span>
      <PostButton to="/logout" label="Sign out" look="link" />
    </nav>
  );
}
