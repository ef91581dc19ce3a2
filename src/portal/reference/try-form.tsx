/** The form that sends a request from the page; the island `reference` sends it and shows what comes back. */
import { referenceWords } from '../languages/reference/index.ts';
import { Button } from '../ui/button.tsx';
import { SelectField, TextArea, TextField } from '../ui/field.tsx';
import { useWords } from '../ui/speech.tsx';
import { type Description, resolved, type Schema } from './description.ts';
import type { Asking } from './examples.ts';

interface TryFormProps {
  readonly asking: Asking;
  readonly description: Pick<Description, 'schemas'>;
}

/** Hidden until the island runs: a form that cannot be sent helps nobody. */
export function TryForm({ asking, description }: TryFormProps) {
  const words = useWords(referenceWords);
  const { operation, body } = asking;
  const { method, path, needs, takesSession, parameters } = operation;
  // Headers say more of a request than a first try needs, and none is required.
  const tried = parameters.filter((one) => one.in !== 'header');
  const bodyType = operation.body?.type ?? '';
  return (
    <section class="try" aria-labelledby="try">
      <h2 id="try">{words.parts.try}</h2>
      <noscript>
        <p class="quiet">{words.needsScript}</p>
      </noscript>
      <form
        class="form"
        data-try
        data-method={method}
        data-path={path}
        data-body-type={bodyType}
        data-waiting={words.waiting}
        data-failed={words.failed}
        data-bad-body={words.badBody}
        data-cut={words.cut}
        hidden
      >
        {needs === 'token' && !takesSession ? (
          <TextField
            name="token"
            type="password"
            label={words.token}
            help={words.tokenHelp}
            autocomplete="off"
            isMono
          />
        ) : null}
        {takesSession ? (
          <p class="quiet small">
            {words.sentAs(
              <a class="link" href="/login">
                {words.login}
              </a>,
            )}
          </p>
        ) : null}
        {tried.map(({ name, in: place, required, schema }) => (
          <TryField
            name={`${place}-${name}`}
            label={name}
            schema={resolved(schema, description)}
            isRequired={required}
          />
        ))}
        {bodyType === 'multipart/form-data' ? (
          Object.entries(operation.body?.schema.properties ?? {}).map(([name, schema]) => (
            <TryField
              name={`field-${name}`}
              label={name}
              schema={schema}
              isRequired={operation.body?.schema.required?.includes(name) === true}
            />
          ))
        ) : body === null ? null : (
          <TextArea
            name="body"
            label={words.parts.body}
            value={JSON.stringify(body, null, 2)}
            rows={Math.min(16, JSON.stringify(body, null, 2).split('\n').length + 1)}
            isMono
          />
        )}
        <div class="form-actions">
          <Button look="primary" icon="send">
            {words.send}
          </Button>
        </div>
      </form>
      <section class="try-answer" aria-label={words.answer} data-answer hidden>
        <p role="status" data-status />
        <pre tabindex={0} data-text />
        <a class="button" href="#try" data-save download="answer" hidden>
          {words.save}
        </a>
      </section>
    </section>
  );
}

interface TryFieldProps {
  readonly name: string;
  readonly label: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

function TryField({ name, label, schema, isRequired }: TryFieldProps) {
  if (schema.format === 'binary') {
    return (
      <div class="field">
        <label class="label" for={name}>
          {label}
        </label>
        <input class="input" type="file" name={name} id={name} required={isRequired} />
      </div>
    );
  }
  const shared = { name, label, ...(isRequired ? { required: true } : { isOptional: true }) };
  if (schema.enum !== undefined) {
    const values = schema.enum.map(String);
    return (
      <SelectField
        {...shared}
        options={[
          ...(isRequired ? [] : [{ value: '', label: '—' }]),
          ...values.map((value) => ({ value, label: value })),
        ]}
      />
    );
  }
  return <TextField {...shared} isMono autocomplete="off" />;
}
