/** Having all data of an account as a file, in its settings. */
import { z } from 'zod';
import { AppError } from '../../base/errors.ts';
import { onlyOf } from '../../base/scope.ts';
import {
  type DataExport,
  findDataExport,
  noteExportDownloaded,
  readExportPart,
  requestDataExport,
  requireProof,
  take,
  transact,
} from '../../identity/index.ts';
import { done } from '../done.ts';
import { formOf, type KeptForm } from '../kept-form.ts';
import { settingsWords } from '../languages/settings/index.ts';
import { type Asked, type Route, route } from '../route.ts';
import { Mistakes } from '../sign-in/form-page.tsx';
import { Button, LinkButton } from '../ui/button.tsx';
import { Callout } from '../ui/callout.tsx';
import { Moment, useSpeech, useWords } from '../ui/speech.tsx';
import { wordsFor } from '../visit.ts';
import { type ProofAsked, ProofField, proofAsked } from './proof.tsx';
import { type Section, settingsPaths } from './section.ts';

const page = settingsPaths.data;
const path = '/dashboard/settings/export';
const downloadPath = `${path}/download`;
/** After how long the page looks again while one is made. */
const refreshSeconds = 5;
const shared = { tag: 'Dashboard', access: 'member' } as const;
const askBody = z.object({
  password: z.string().max(1024).optional().describe('Not needed within ten minutes of a sign-in'),
});
const stateFields = z.object({
  status: z.enum(['none', 'waiting', 'ready', 'failed']),
  requests: z.int().describe('How many are in it so far'),
  size_bytes: z.int(),
  expires_at: z.iso.datetime().nullable().describe('When it is removed; null while it is made'),
});

export const dataExportRoutes: readonly Route[] = [
  route({
    ...shared,
    method: 'POST',
    path,
    summary: 'Have all data of the account made into a file; one that is under way goes on',
    answers: 'action',
    page,
    body: askBody,
    result: stateFields,
    refusals: { 403: 'A proof of who asks is needed', 429: 'Too many attempts' },
    handle: ask,
  }),
  route({
    ...shared,
    method: 'GET',
    path,
    summary: 'How far the file with all data of the account is',
    answers: 'json',
    result: stateFields.extend({ ok: z.literal(true) }),
    handle: tell,
  }),
  route({
    ...shared,
    method: 'GET',
    path: downloadPath,
    summary: 'The file with all data of the account',
    answers: 'file',
    changes: true,
    refusals: { 404: 'There is none that is ready' },
    handle: download,
  }),
];

export const dataExportSection: Section = {
  async show({ services, session, form }) {
    const { storage, clock } = services;
    const nowMs = clock.nowMs();
    const made = await findDataExport(onlyOf(session.user.id), storage.db, nowMs);
    const proof = proofAsked(session, services);
    return <Export made={made} nowMs={nowMs} proof={proof} form={formOf(form, path)} />;
  },
};

interface ExportProps {
  readonly made: DataExport | undefined;
  readonly nowMs: number;
  readonly proof: ProofAsked;
  readonly form: KeptForm;
}

function Export({ made, nowMs, proof, form }: ExportProps) {
  const { dataExport: words } = useWords(settingsWords);
  const { figures } = useSpeech();
  const isWaiting = made?.status === 'waiting';
  return (
    <section class="section settings-section" aria-labelledby="export-title">
      <div class="section-head">
        <h2 id="export-title">{words.title}</h2>
      </div>
      <p class="quiet">{words.text}</p>
      {made?.status === 'failed' ? <Callout tone="bad">{words.failed}</Callout> : null}
      {isWaiting ? (
        <p role="status" aria-busy="true" data-reload-after={String(refreshSeconds)}>
          {words.waiting(figures.count(made.requests))}
        </p>
      ) : null}
      {made?.status === 'ready' ? (
        <div class="row">
          <LinkButton href={downloadPath} look="primary" icon="download" download>
            {words.download(figures.decimal(made.sizeBytes / 1024 ** 2, 1))}
          </LinkButton>
          {made.expiresAt === null ? null : (
            <span class="quiet">
              {words.until} <Moment at={made.expiresAt} nowMs={nowMs} />
            </span>
          )}
        </div>
      ) : null}
      {isWaiting ? null : (
        <form class="form" method="post" action={path}>
          <Mistakes form={form} fields={['password']} />
          <ProofField asked={proof} form={form} page={page} name="password" />
          {proof === 'sign-in' ? null : (
            <p class="form-actions">
              <Button>{made === undefined ? words.action : words.again}</Button>
            </p>
          )}
        </form>
      )}
    </section>
  );
}

async function ask({
  context,
  services,
  session,
  body: { password },
}: Asked<'member', { body: typeof askBody }>): Promise<Response> {
  const own = onlyOf(session.user.id);
  await requireProof(own, services, { password, session, field: 'password' });
  await take(services, 'export of account', String(session.user.id));
  const made = await transact(services, (work) => requestDataExport(own, work));
  const message = wordsFor(context, settingsWords).dataExport.asked;
  return done(context, { to: page, message, result: stateOf(made) });
}

async function tell({ context, services, session }: Asked<'member'>): Promise<Response> {
  const { storage, clock } = services;
  const made = await findDataExport(onlyOf(session.user.id), storage.db, clock.nowMs());
  return context.json({ ok: true, ...stateOf(made) });
}

function stateOf(made: DataExport | undefined): z.output<typeof stateFields> {
  return {
    status: made?.status ?? 'none',
    requests: made?.requests ?? 0,
    size_bytes: made?.sizeBytes ?? 0,
    expires_at: made?.expiresAt?.toISOString() ?? null,
  };
}

/** A part after the other, as fast as they are taken: no more than one is held. */
async function download({ context, services, session }: Asked<'member'>): Promise<Response> {
  const { storage, clock } = services;
  const own = onlyOf(session.user.id);
  const made = await findDataExport(own, storage.db, clock.nowMs());
  if (made?.status !== 'ready') {
    throw new AppError({ code: 'not_found', public: 'There is no export that is ready.' });
  }
  await transact(services, (work) => noteExportDownloaded(own, work));
  let number = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const part = await readExportPart(own, storage.db, { createdAt: made.createdAt, number });
      number += 1;
      if (part === undefined) controller.close();
      else controller.enqueue(part);
    },
  });
  const day = made.createdAt.toISOString().slice(0, 10);
  return context.body(body, 200, {
    'content-type': 'application/zip',
    'content-disposition': `attachment; filename="account-data-${day}.zip"`,
    'content-length': String(made.sizeBytes),
  });
}
