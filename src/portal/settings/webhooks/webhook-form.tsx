/** The form of a webhook, new or known. */
import { webhookEvents, webhookFormats } from '../../../notifications/index.ts';
import type { KeptForm } from '../../kept-form.ts';
import { webhooksWords } from '../../languages/webhooks/index.ts';
import { Mistakes } from '../../sign-in/form-page.tsx';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { RadioField, Switch } from '../../ui/control.tsx';
import { TextField } from '../../ui/field.tsx';
import { useWords } from '../../ui/speech.tsx';

export interface WebhookValues {
  readonly name: string;
  readonly url: string;
  readonly format: string;
  /** Null takes all. */
  readonly events: readonly string[] | null;
  readonly enabled: boolean;
}

interface WebhookFormProps {
  readonly to: string;
  readonly values: WebhookValues;
  readonly form: KeptForm;
  readonly action: string;
  /** What it is drawn from; null for a new one. */
  readonly seen: string | null;
}

export function WebhookForm({ to, values, form, action, seen }: WebhookFormProps) {
  const words = useWords(webhooksWords);
  const { issues } = form;
  // Of the name and the address it stands beside their fields what somebody else made of them.
  const { body: overtaken, name: _name, url: _url, ...unplaced } = issues;
  const ticked = form.lists['events'] ?? (form.values['events'] === '' ? [] : (values.events ?? []));
  const isEnabled =
    form.lists['enabled']?.includes('on') ?? (form.values['enabled'] !== 'off' && values.enabled);
  const isAll = (form.values['events_are'] ?? (values.events === null ? 'all' : 'some')) === 'all';
  return (
    <form class="form webhook-form" method="post" action={to}>
      {overtaken === undefined ? (
        <Mistakes form={form} fields={['name', 'url']} />
      ) : (
        <Callout tone="warn" title={overtaken}>
          {Object.entries(unplaced).map(([, sentence]) => (
            <p>{sentence}</p>
          ))}
        </Callout>
      )}
      {seen === null ? null : <input type="hidden" name="seen" value={seen} />}
      <TextField
        name="name"
        label={words.name}
        help={words.nameHelp}
        value={form.values['name'] ?? values.name}
        error={issues['name']}
        maxLength={100}
        autocomplete="off"
        required
      />
      <TextField
        name="url"
        type="url"
        label={words.url}
        help={words.urlHelp}
        value={form.values['url'] ?? values.url}
        error={issues['url']}
        maxLength={2000}
        autocomplete="off"
        required
      />
      <RadioField
        name="format"
        legend={words.format}
        value={form.values['format'] ?? values.format}
        options={webhookFormats.map((value) => ({ value, label: words.formats[value] }))}
      />
      <fieldset class="field">
        <legend class="label">{words.events}</legend>
        {(['all', 'some'] as const).map((which) => (
          <label class="tick" for={`events_are-${which}`}>
            <input
              type="radio"
              class="radio"
              id={`events_are-${which}`}
              name="events_are"
              value={which}
              checked={(which === 'all') === isAll}
            />
            <span>{which === 'all' ? words.allEvents : words.someEvents}</span>
          </label>
        ))}
        <input type="hidden" name="events" value="" />
        <div class="webhook-events">
          {webhookEvents.map((event) => (
            <label class="tick" for={`events-${event}`}>
              <input
                type="checkbox"
                class="checkbox"
                id={`events-${event}`}
                name="events"
                value={event}
                checked={ticked.includes(event)}
              />
              <span class="mono">{event}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <input type="hidden" name="enabled" value="off" />
      <Switch name="enabled" label={words.enabled} checked={isEnabled} />
      <p class="form-actions">
        <Button look="primary">{action}</Button>
      </p>
    </form>
  );
}
