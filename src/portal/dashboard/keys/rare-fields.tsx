/** What few keys need, folded away until something of it is set or wrong: who may serve it, what becomes of its data, how answers end. */
import { keysWords } from '../../languages/keys/index.ts';
import { Checkbox } from '../../ui/control.tsx';
import { useWords } from '../../ui/speech.tsx';
import { Lock } from './key-locks.tsx';
import { DataPolicy } from './key-policy-form.tsx';
import type { KeyFormProps } from './key-props.ts';
import { type FormValues, freshValues, textOf } from './key-values.ts';

/** In the order of the form. A list's choice stands in the field that says whether the list counts. */
export const rareFields = [
  ...['providers', 'regions', 'data_collection', 'zdr', 'data_regions', 'quantizations', 'rescue'],
  'strict_output',
] as const;

export function RareFields(props: KeyFormProps) {
  const { form: words } = useWords(keysWords);
  const { values, issues, lockable } = props;
  return (
    <details class="rare" open={rareFields.some((name) => issues[name] !== undefined || isSet(values, name))}>
      <summary>{words.rare}</summary>
      <div class="form">
        <Lock
          {...props}
          name="providers"
          legend={words.providers}
          any={words.anyProvider}
          these={words.theseProviders}
          choices={lockable.providers}
        />
        <Lock
          {...props}
          name="regions"
          legend={words.regions}
          any={words.anyRegion}
          these={words.theseRegions}
          choices={lockable.regions}
          none={words.noRegions}
        />
        <DataPolicy {...props} />
        <div>
          <input type="hidden" name="strict_output" value="off" />
          <Checkbox
            name="strict_output"
            label={words.strict}
            checked={textOf(values, 'strict_output') === 'on'}
            error={issues['strict_output']}
          />
        </div>
      </div>
    </details>
  );
}

/** Whether it is not what a new key has; what a form sends of a box without a tick is `off`. */
function isSet(values: FormValues, name: string): boolean {
  const fresh = freshValues('');
  return [name, `${name}_from`].some((field) => {
    if (field === name && values[`${name}_from`] !== undefined) return false;
    const value = textOf(values, field);
    return value !== '' && value !== 'off' && value !== textOf(fresh, field);
  });
}
