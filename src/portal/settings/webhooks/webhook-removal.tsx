/** Deleting a webhook: the form that asks for its name, and the action that compares it. */
import { z } from 'zod';
import { transact } from '../../../identity/index.ts';
import { deleteWebhook, findWebhook, type Webhook } from '../../../notifications/index.ts';
import { done } from '../../done.ts';
import type { KeptForm } from '../../kept-form.ts';
import { webhooksWords } from '../../languages/webhooks/index.ts';
import type { Asked } from '../../route.ts';
import { fieldIssue } from '../../sign-in/fields.ts';
import { Mistakes } from '../../sign-in/form-page.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { useWords } from '../../ui/speech.tsx';
import { wordsFor } from '../../visit.ts';
import { requireScopeOfWebhook, type webhookParams, webhookPath, webhooksPath } from './the-webhooks.ts';

export const removeBody = z.object({
  'remove-name': z.string().max(200).optional().describe('Of a form: the name of the webhook, typed'),
});

interface RemovalProps {
  readonly webhook: Pick<Webhook, 'id' | 'name'>;
  readonly form: KeptForm;
}

export function WebhookRemoval({ webhook: { id, name }, form }: RemovalProps) {
  const words = useWords(webhooksWords);
  return (
    <section class="section" aria-labelledby="remove-section">
      <div class="section-head">
        <h2 id="remove-section">{words.remove}</h2>
      </div>
      <p class="quiet">{words.removeText}</p>
      <form class="form webhook-form" method="post" action={`${webhookPath(id)}/delete`}>
        <Mistakes form={form} fields={['remove-name']} />
        <TextField
          name="remove-name"
          label={words.removeLabel(name)}
          autocomplete="off"
          value={form.values['remove-name']}
          error={form.issues['remove-name']}
          required
        />
        <p class="form-actions">
          <Button look="danger">{words.remove}</Button>
        </p>
      </form>
    </section>
  );
}

/** People type the name, so that none is deleted by a slip; a program says which by its id. */
export async function removeWebhook({
  context,
  services,
  session,
  params: { webhook_id: id },
  body,
}: Asked<'member', { params: typeof webhookParams; body: typeof removeBody }>): Promise<Response> {
  const scope = requireScopeOfWebhook(session);
  const typed = body['remove-name'] ?? (context.get('form') === undefined ? undefined : '');
  const webhook = await findWebhook(scope, services.storage.db, id);
  if (typed !== undefined && typed.trim() !== webhook.name) {
    const msg = wordsFor(context, webhooksWords).otherName;
    throw fieldIssue('remove-name', 'other_webhook_name', msg);
  }
  await transact(services, (work) => deleteWebhook(scope, work, id));
  return done(context, { to: webhooksPath, message: wordsFor(context, webhooksWords).removed });
}
