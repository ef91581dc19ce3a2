/** What is filled in: label above, help below, the error beside the field and in a summary above the form. */
import type { Child } from 'hono/jsx';
import { Below, type ControlState, controlAttributes, type Option } from './control.tsx';
import { Icon } from './icon.tsx';
import { useSpeech } from './speech.tsx';

interface FieldProps {
  /** Also the id of the control; once a page. */
  readonly name: string;
  readonly label: string;
  readonly help?: Child;
  /** What is wrong with what was given, and what to do. */
  readonly error?: string | undefined;
  readonly isOptional?: boolean;
}

export interface TextFieldProps extends FieldProps, ControlState {
  readonly type?: 'text' | 'email' | 'password' | 'search' | 'tel' | 'url' | 'number' | 'date';
  readonly value?: string | undefined;
  readonly placeholder?: string;
  /** A token of the HTML standard, such as `email` or `new-password`, so that browsers and password managers help. */
  readonly autocomplete?: string;
  readonly inputmode?: 'text' | 'decimal' | 'numeric' | 'email' | 'url' | 'search' | 'tel';
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly min?: string;
  readonly max?: string;
  readonly step?: string;
  /** A unit before or behind what is typed, such as `$` or `ms`. */
  readonly before?: string;
  readonly behind?: string;
  readonly isMono?: boolean;
}

export function TextField(props: TextFieldProps) {
  const { name, type = 'text', value, before, behind, isMono = false } = props;
  const input = (
    <input
      class={isMono ? 'input mono' : 'input'}
      type={type}
      name={name}
      {...controlAttributes(props)}
      {...(value === undefined ? {} : { value })}
      placeholder={props.placeholder}
      autocomplete={props.autocomplete}
      inputmode={props.inputmode}
      maxlength={props.maxLength}
      minlength={props.minLength}
      pattern={props.pattern}
      min={props.min}
      max={props.max}
      step={props.step}
    />
  );
  return (
    <FieldFrame {...props}>
      {type === 'password' ? (
        <Revealing>{input}</Revealing>
      ) : before === undefined && behind === undefined ? (
        input
      ) : (
        <span class="with-unit">
          {before === undefined ? null : <span aria-hidden="true">{before}</span>}
          {input}
          {behind === undefined ? null : <span aria-hidden="true">{behind}</span>}
        </span>
      )}
    </FieldFrame>
  );
}

/** The eye is for scripts alone, so it stays away until one says otherwise. */
function Revealing({ children }: { readonly children?: Child }) {
  const { action } = useSpeech().common;
  return (
    <span class="revealing">
      {children}
      <button
        type="button"
        class="button ghost square small"
        aria-pressed="false"
        aria-label={action.show}
        data-reveal
        hidden
      >
        <Icon name="eye" />
        <Icon name="eye-off" />
      </button>
    </span>
  );
}

interface TextAreaProps extends FieldProps, ControlState {
  readonly value?: string | undefined;
  readonly rows?: number;
  readonly maxLength?: number;
  readonly placeholder?: string;
  readonly isMono?: boolean;
}

export function TextArea(props: TextAreaProps) {
  const { name, value = '', rows = 4, isMono = false } = props;
  return (
    <FieldFrame {...props}>
      <textarea
        class={isMono ? 'input mono' : 'input'}
        name={name}
        rows={rows}
        maxlength={props.maxLength}
        placeholder={props.placeholder}
        {...controlAttributes(props)}
      >
        {value}
      </textarea>
    </FieldFrame>
  );
}

interface SelectFieldProps extends FieldProps, ControlState {
  readonly options: readonly Option[];
  readonly value?: string | undefined;
}

export function SelectField(props: SelectFieldProps) {
  return (
    <FieldFrame {...props}>
      <select class="input select" name={props.name} {...controlAttributes(props)}>
        {props.options.map(({ value, label, disabled = false }) => (
          <option value={value} selected={value === props.value} disabled={disabled}>
            {label}
          </option>
        ))}
      </select>
    </FieldFrame>
  );
}

interface SummaryProps {
  /** In the order of the form; none shows nothing. */
  readonly mistakes: readonly {
    readonly name: string;
    /** Of the field, where the message alone does not tell which it is. */
    readonly label?: string | undefined;
    readonly message: string;
  }[];
  /** What is wrong with the whole, such as a password that does not match. */
  readonly children?: Child;
}

/** Above a form that came back: what is wrong, each with a link to its field. */
export function ErrorSummary({ mistakes, children }: SummaryProps) {
  const { form } = useSpeech().common;
  if (mistakes.length === 0 && children === undefined) return null;
  return (
    <div class="callout bad" role="alert" tabindex={-1} data-focus>
      <Icon name="circle-alert" />
      <div>
        <p class="strong">{mistakes.length === 0 ? children : form.mistakes(mistakes.length)}</p>
        {mistakes.length === 0 ? null : (
          <ul>
            {mistakes.map(({ name, label, message }) => (
              <li>
                <a class="link" href={`#${name}`}>
                  {label === undefined ? null : <span class="strong">{form.ofField(label)} </span>}
                  {message}
                </a>
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

/** Two fields beside each other where there is room. */
export function FieldPair({ children }: { readonly children?: Child }) {
  return <div class="field-pair">{children}</div>;
}

function FieldFrame({
  name,
  label,
  help,
  error,
  isOptional = false,
  children,
}: FieldProps & { readonly children?: Child }) {
  const { form } = useSpeech().common;
  return (
    <div class="field">
      <label class="label" for={name}>
        {label}
        {isOptional ? <span class="quiet"> {form.optional}</span> : null}
      </label>
      {children}
      <Below name={name} help={help} error={error} />
    </div>
  );
}
