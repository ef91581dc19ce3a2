/** The part of a key's form that says of a kind of thing, such as models, which of them it may use: every one, or these. */
import type { Child } from 'hono/jsx';
import { keysWords } from '../../languages/keys/index.ts';
import { Below } from '../../ui/control.tsx';
import { useWords } from '../../ui/speech.tsx';
import type { Lockable } from './key-fields.ts';
import type { KeyFormProps } from './key-props.ts';
import { listOf, textOf } from './key-values.ts';

interface LockProps extends Pick<KeyFormProps, 'values' | 'issues'> {
  readonly name: keyof Lockable;
  readonly legend: string;
  readonly any: string;
  readonly these: string;
  readonly choices: readonly string[];
  /** Where there is nothing to choose from. */
  readonly none?: string;
}

export function Lock({ name, legend, any, these, choices, none, values, issues }: LockProps) {
  const { form: words } = useWords(keysWords);
  const from = `${name}_from`;
  const chosen = new Set(listOf(values, name));
  const offered = new Set(choices);
  const gone = [...chosen].filter((one) => !offered.has(one));
  const isAny = textOf(values, from) !== 'these';
  if (choices.length === 0 && gone.length === 0) {
    return none === undefined ? null : <Group legend={legend} help={none} />;
  }
  const radio = (value: 'any' | 'these', label: string) => (
    <label class="tick" for={`${name}-${value}`}>
      <input
        type="radio"
        class="radio"
        id={`${name}-${value}`}
        name={from}
        value={value}
        checked={(value === 'any') === isAny}
        {...(issues[name] === undefined ? {} : { 'aria-describedby': `${name}-error` })}
      />
      <span>{label}</span>
    </label>
  );
  return (
    <fieldset class="field lock">
      <legend class="label">{legend}</legend>
      {radio('any', any)}
      {radio('these', these)}
      <input type="hidden" name={name} value="" />
      <div class="lock-choices">
        {[...choices, ...gone].map((choice) => (
          <label class="tick" for={`${name}-of-${choice}`}>
            <input
              type="checkbox"
              class="checkbox"
              id={`${name}-of-${choice}`}
              name={name}
              value={choice}
              checked={chosen.has(choice)}
            />
            <span>
              <code>{choice}</code>
              {offered.has(choice) ? null : <span class="quiet small"> {words.gone}</span>}
            </span>
          </label>
        ))}
      </div>
      <Below name={name} help={undefined} error={issues[name]} />
    </fieldset>
  );
}

export function Group({
  legend,
  help,
  children,
}: {
  readonly legend: string;
  readonly help?: string;
  readonly children?: Child;
}) {
  return (
    <fieldset class="field">
      <legend class="label">{legend}</legend>
      {children}
      {help === undefined ? null : <p class="help">{help}</p>}
    </fieldset>
  );
}
