/** `/dev/mail`, in development only: the mails that were written as files instead of being sent. */
import { z } from 'zod';
import { AppError } from '../../base/errors.ts';
import type { KeptMail } from '../../notifications/index.ts';
import { framingHeaders, mailHeaders } from '../page-headers.ts';
import { type Route, route } from '../route.ts';
import type { PortalServices } from '../services.ts';
import { CopyButton } from '../ui/button.tsx';
import { Callout, Empty, Facts } from '../ui/callout.tsx';
import { renderPage } from '../ui/document.tsx';
import { type Column, Table } from '../ui/table.tsx';

const shownMails = 50;
const path = '/dev/mail';
const params = z.object({ name: z.string().max(200) });

export const mailRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path,
    summary: 'The newest mails that were written as files',
    tag: 'Development',
    access: 'anyone',
    answers: 'page',
    handle: async ({ context, services: { keptMails } }) =>
      renderPage(context, {
        title: 'Mails',
        layout: { kind: 'plain' },
        content: <MailList mails={(await keptMails?.list(shownMails)) ?? null} />,
      }),
  }),
  route({
    method: 'GET',
    path: `${path}/{name}`,
    summary: 'One mail, as HTML, as text and as it would go out',
    tag: 'Development',
    access: 'anyone',
    answers: 'page',
    headers: framingHeaders,
    params,
    handle: async ({ context, services, params: { name } }) => {
      const mail = await requireMail(services, name);
      return renderPage(context, {
        title: mail.subject,
        layout: { kind: 'plain' },
        content: <MailView mail={mail} />,
      });
    },
  }),
  route({
    method: 'GET',
    path: `${path}/{name}/html`,
    summary: 'The HTML of a mail, held to its own styles',
    tag: 'Development',
    access: 'anyone',
    answers: 'page',
    headers: mailHeaders,
    params,
    handle: async ({ context, services, params: { name } }) =>
      context.html((await requireMail(services, name)).html),
  }),
];

async function requireMail({ keptMails }: PortalServices, name: string): Promise<KeptMail> {
  const mail = await keptMails?.read(name);
  if (mail !== undefined) return mail;
  throw new AppError({
    code: 'not_found',
    public: 'There is no such mail, or no longer: the newest 500 are kept.',
  });
}

const columns: readonly Column<KeptMail>[] = [
  { key: 'subject', label: 'Subject', cell: ({ subject }) => subject, phone: 'name' },
  { key: 'to', label: 'To', cell: ({ to }) => to, phone: 'detail' },
  { key: 'written', label: 'Written', cell: ({ writtenAt }) => writeTime(writtenAt), phone: 'state' },
];

function MailList({ mails }: { readonly mails: readonly KeptMail[] | null }) {
  return (
    <div class="wide">
      <div class="page-head">
        <h1>Mails</h1>
      </div>
      {mails === null ? (
        <Callout>
          <p>Mails go to the server that SLUICE_SMTP_URL names, and none are kept here.</p>
        </Callout>
      ) : (
        <Table
          caption="Mails, newest first"
          columns={columns}
          rows={mails}
          keyOf={({ name }) => name}
          hrefOf={({ name }) => `${path}/${name}`}
          empty={<Empty title="No mail yet">What would be sent appears here as soon as it is.</Empty>}
        />
      )}
    </div>
  );
}

function MailView({ mail }: { readonly mail: KeptMail }) {
  return (
    <div class="wide mail-view">
      <p>
        <a href={path}>All mails</a>
      </p>
      <div class="page-head">
        <h1>{mail.subject}</h1>
      </div>
      <Facts
        items={[
          { name: 'To', value: mail.to },
          { name: 'Written', value: writeTime(mail.writtenAt) },
          { name: 'Language', value: mail.language },
        ]}
      />
      <section class="section" aria-labelledby="links">
        <h2 id="links">Links</h2>
        <ul>
          {linksOf(mail.text).map((link) => (
            <li>
              <a href={link}>{link}</a>
            </li>
          ))}
        </ul>
      </section>
      <section class="section" aria-labelledby="html">
        <PartHead id="html" title="HTML" text={mail.html} />
        <iframe title="The mail as HTML" src={`${path}/${mail.name}/html`} sandbox="" />
      </section>
      <section class="section" aria-labelledby="text">
        <PartHead id="text" title="Text" text={mail.text} />
        <pre tabindex={0}>{mail.text}</pre>
      </section>
      <section class="section" aria-labelledby="raw">
        <PartHead id="raw" title="As it would go out" text={mail.raw} />
        <pre tabindex={0}>{mail.raw}</pre>
      </section>
    </div>
  );
}

/** What stands in a frame, or in parts of a file, is hard to select. */
function PartHead({
  id,
  title,
  text,
}: {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}) {
  return (
    <div class="section-head">
      <h2 id={id}>{title}</h2>
      <CopyButton text={text} label={`Copy: ${title}`} />
    </div>
  );
}

/** They cannot be followed inside the frame, which is held to nothing but its styles. */
const linksOf = (text: string): readonly string[] => [...new Set(text.match(/\bhttps?:\/\/\S+/g))];

const writeTime = (at: Date): string => at.toISOString().replace('T', ' ').slice(0, 19);
