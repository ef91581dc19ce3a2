/** Trying a model from its page: one prompt, streamed, with what it used; charged and stored like any request. */
import { z } from 'zod';
import { AppError } from '../../../base/errors.ts';
import { onlyOf } from '../../../base/scope.ts';
import type { Model } from '../../../catalogue/index.ts';
import { readDataLocks } from '../../../identity/index.ts';
import { readUsage } from '../../../usage/index.ts';
import { tryWords } from '../../languages/try/index.ts';
import { findPayment, type Payment } from '../../payment.ts';
import { eventStream, type Piece } from '../../public/live-request.tsx';
import { type Asked, type Route, route } from '../../route.ts';
import type { PortalServices } from '../../services.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextArea } from '../../ui/field.tsx';
import { type Figures, figuresIn } from '../../ui/figures.ts';
import { Icon } from '../../ui/icon.tsx';
import { useSpeech, useWords } from '../../ui/speech.tsx';
import { visitOf } from '../../visit.ts';
import { usableModels } from '../usable-models.ts';

const path = '/dashboard/try';
const mostCharacters = 8000;
const answerLimits = [256, 1024, 4096] as const;
/** A batch is written within a tenth of a second. */
const recordTries = 30;
const recordEveryMs = 100;

const tryBody = z.object({
  model: z.string().min(1).max(200),
  prompt: z.string().trim().min(1).max(mostCharacters),
  max_tokens: z.coerce.number().int().min(16).max(4096).default(1024),
});
type AskedToTry = Asked<'member', { body: typeof tryBody }>;

export const tryModelRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path,
    summary:
      'Send one prompt to a model, and read its answer as server-sent events; charged like any request',
    tag: 'Dashboard',
    access: 'member',
    answers: 'file',
    page: '/dashboard/models',
    body: tryBody,
    refusals: {
      402: 'The balance or a budget holds too little',
      404: 'There is no such chat model, or no gateway beside the pages',
      429: 'Too many at once or in a minute',
    },
    handle: tryModel,
  }),
];

async function tryModel({ context, services, session: { user }, body }: AskedToTry): Promise<Response> {
  const { trial, catalogue } = services;
  const payment = await findPayment(user, services);
  const model = usableModels(payment, catalogue.current()).find(
    ({ publicId, type }) => publicId === body.model && type === 'chat',
  );
  if (trial === null || model === undefined) {
    throw new AppError({ code: 'not_found', public: 'There is no such chat model.' });
  }
  const { requestsPerMinute, tokensPerMinute, concurrentRequests } = user;
  const isLimited = (requestsPerMinute ?? tokensPerMinute ?? concurrentRequests) !== null;
  const { organisation } = payment;
  const answer = await trial.ask({
    asker: {
      userId: user.id,
      payerId: organisation?.billingUserId ?? user.id,
      organisationId: user.organisationId,
      departmentId: user.departmentId,
      billingExempt: payment.by === 'nobody',
      dataLocks: await readDataLocks(services.storage.db, user),
      userLimits: isLimited ? { requestsPerMinute, tokensPerMinute, concurrentRequests } : null,
    },
    model: model.publicId,
    prompt: body.prompt,
    maxTokens: body.max_tokens,
    signal: context.req.raw.signal,
  });
  if (!answer.ok) return refuse(answer);
  const figures = figuresIn(visitOf(context).language);
  const telling = { userId: user.id, services, figures, signal: context.req.raw.signal };
  const requestId = answer.headers.get('x-request-id') ?? '';
  const events = eventStream(answer, (pieces) => eventsOf(pieces, requestId, telling));
  return context.body(events, 200, { 'content-type': 'text/event-stream; charset=utf-8' });
}

const refusalShape = z.object({ error: z.object({ message: z.string(), code: z.string().nullish() }) });

/** As the gateway says it, in the form of the portal's refusals. */
async function refuse(answer: Response): Promise<Response> {
  const { data } = refusalShape.safeParse(await answer.json().catch(() => null));
  const error = data?.error.message ?? '';
  const retryAfter = answer.headers.get('retry-after');
  return Response.json(
    { ok: false, error, code: data?.error.code ?? 'refused' },
    { status: answer.status, headers: retryAfter === null ? {} : { 'retry-after': retryAfter } },
  );
}

interface Telling {
  readonly userId: number;
  readonly services: PortalServices;
  readonly figures: Figures;
  readonly signal: AbortSignal;
}

const brokenShape = z.object({ error: z.object({ message: z.string() }) });

async function* eventsOf(
  pieces: AsyncIterable<Piece>,
  requestId: string,
  telling: Telling,
): AsyncGenerator<object> {
  for await (const { text, data } of pieces) {
    if (text !== '') yield { text };
    const broken = data.includes('"error"') ? brokenShape.safeParse(JSON.parse(data)).data : undefined;
    if (broken !== undefined) yield { error: broken.error.message };
  }
  const record = await findRecord(requestId, telling);
  if (record !== null) yield { record };
}

/** What is stored of the request, as the page shows it; null when it is not there in time, or nobody waits for it. */
async function findRecord(requestId: string, { userId, services, figures, signal }: Telling) {
  for (let tried = 0; tried < recordTries && !signal.aborted; tried += 1) {
    const [stored] = await readUsage(onlyOf(userId), services.storage.db, { requestId, limit: 1 });
    if (stored !== undefined) {
      const { inputTokens, cacheReadTokens, outputTokens, costNanoUsd, durationMs, firstByteMs } = stored;
      return {
        id: requestId,
        input: figures.count(inputTokens + cacheReadTokens),
        output: figures.count(outputTokens),
        cost: figures.price(costNanoUsd),
        first: firstByteMs === null ? '–' : figures.span(firstByteMs),
        duration: figures.span(durationMs),
      };
    }
    await services.clock.sleep(recordEveryMs, signal);
  }
  return null;
}

interface TryModelProps {
  readonly model: Model;
  readonly payment: Payment;
}

/** Needs its island: without a script it is not shown. */
export function TryModel({ model, payment }: TryModelProps) {
  const words = useWords(tryWords);
  const { figures } = useSpeech();
  const { publicId, prices } = model;
  const most = Math.min(4096, model.maxOutputTokens ?? 4096);
  const limits = [...new Set(answerLimits.map((each) => Math.min(each, most)))];
  const dearest = [prices?.output ?? 0n, prices?.reasoning ?? 0n].reduce((one, other) =>
    one > other ? one : other,
  );
  return (
    <section class="section try" id="try" aria-labelledby="try-title" hidden data-try={path}>
      <div class="section-head">
        <h2 id="try-title">{words.title}</h2>
        <p class="quiet small">{payment.by === 'nobody' ? words.free : words.charged}</p>
      </div>
      <form
        class="form"
        method="post"
        action={path}
        data-input-price={String(prices?.input ?? 0n)}
        data-output-price={String(dearest)}
        data-at-most={words.atMost('-1')}
        data-failed={words.failed}
        data-stopped={words.stopped}
        data-waiting={words.waiting}
      >
        <input type="hidden" name="model" value={publicId} />
        <TextArea name="prompt" label={words.prompt} rows={3} required maxLength={mostCharacters} />
        <SelectField
          name="max_tokens"
          label={words.answerLimit}
          value={String(limits.at(1) ?? most)}
          options={limits.map((limit) => ({
            value: String(limit),
            label: words.tokens(figures.count(limit)),
          }))}
        />
        <p class="form-actions">
          <Button look="primary" icon="send">
            {words.send}
          </Button>
          <button type="button" class="button" data-stop hidden>
            {words.stop}
          </button>
          <span class="quiet small" data-most role="status" />
        </p>
      </form>
      <div data-answer hidden>
        <section class="try-answer" tabindex={0} aria-label={words.answer} />
        <p class="quiet small number" role="status" data-state />
        <div class="callout bad" role="alert" data-refused hidden>
          <Icon name="circle-alert" />
          <p />
        </div>
        <dl class="facts" data-record hidden>
          {(['input', 'output', 'cost', 'first', 'duration', 'id'] as const).map((name) => (
            <div>
              <dt>{words.facts[name]}</dt>
              <dd class={name === 'id' ? 'whole' : 'number'} data-fact={name} />
            </div>
          ))}
        </dl>
      </div>
    </section>
  );
}
