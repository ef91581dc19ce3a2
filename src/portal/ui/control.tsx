/** What every control of a form shares: its attributes, its help and error, and those that are ticked. */
import type { Child } from 'hono/jsx';
import { Icon } from './icon.tsx';

export interface ControlState {
  readonly required?: boolean;
  readonly disabled?: boolean;
  readonly autofocus?: boolean;
}

export interface Option {
  readonly value: string;
  readonly label: string;
  readonly disabled?: boolean;
}

interface TickProps extends ControlState {
  readonly name: string;
  readonly value?: string;
  /** May hold links, such as one to the terms. */
  readonly label: Child;
  readonly help?: Child;
  readonly error?: string | undefined;
  readonly checked?: boolean;
}

export function Checkbox(props: TickProps) {
  return <Tick {...props} kind="checkbox" />;
}

/** A setting that is on or off by itself; within a form it is sent like a checkbox. */
export function Switch(props: TickProps) {
  return <Tick {...props} kind="switch" />;
}

function Tick(props: TickProps & { readonly kind: 'checkbox' | 'switch' | 'radio' }) {
  const { name, value = 'on', label, help, error, checked = false, kind } = props;
  const id = kind === 'radio' ? `${name}-${value}` : name;
  return (
    <div class="tick-field">
      <label class="tick" for={id}>
        <input
          type={kind === 'radio' ? 'radio' : 'checkbox'}
          {...(kind === 'switch' ? { role: 'switch' } : {})}
          class={kind}
          name={name}
          value={value}
          checked={checked}
          {...controlAttributes({ ...props, name: id })}
        />
        <span>{label}</span>
      </label>
      <Below name={id} help={help} error={error} />
    </div>
  );
}

interface RadioFieldProps {
  readonly name: string;
  readonly help?: Child;
  readonly error?: string | undefined;
  readonly legend: string;
  readonly options: readonly (Option & { readonly help?: string })[];
  readonly value?: string | undefined;
}

export function RadioField({ name, legend, options, value, help, error }: RadioFieldProps) {
  return (
    <fieldset class="field" {...(error === undefined ? {} : { 'aria-describedby': `${name}-error` })}>
      <legend class="label">{legend}</legend>
      {options.map((option) => (
        <Tick
          kind="radio"
          name={name}
          value={option.value}
          label={option.label}
          help={option.help}
          checked={option.value === value}
          disabled={option.disabled ?? false}
        />
      ))}
      <Below name={name} help={help} error={error} />
    </fieldset>
  );
}

interface BelowProps {
  readonly name: string;
  readonly help: Child | undefined;
  readonly error: string | undefined;
}

export function Below({ name, help, error }: BelowProps) {
  return (
    <>
      {error === undefined ? null : (
        <p class="error" id={`${name}-error`}>
          <Icon name="circle-alert" size={14} />
          {error}
        </p>
      )}
      {help === undefined ? null : (
        <p class="help" id={`${name}-help`}>
          {help}
        </p>
      )}
    </>
  );
}

export function controlAttributes(
  props: ControlState & { readonly name: string; readonly help?: Child; readonly error?: string | undefined },
) {
  const { name, help, error, required = false, disabled = false, autofocus = false } = props;
  const described = [
    ...(error === undefined ? [] : [`${name}-error`]),
    ...(help === undefined ? [] : [`${name}-help`]),
  ];
  return {
    id: name,
    required,
    disabled,
    autofocus,
    ...(described.length === 0 ? {} : { 'aria-describedby': described.join(' ') }),
    ...(error === undefined ? {} : { 'aria-invalid': 'true' as const }),
  };
}
