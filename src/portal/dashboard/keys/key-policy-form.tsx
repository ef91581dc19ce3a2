/** The part of a key's form about what becomes of what it sends. */
import { keysWords } from '../../languages/keys/index.ts';
import { Checkbox } from '../../ui/control.tsx';
import { SelectField } from '../../ui/field.tsx';
import { useWords } from '../../ui/speech.tsx';
import { Group, Lock } from './key-locks.tsx';
import type { KeyFormProps } from './key-props.ts';
import { textOf } from './key-values.ts';

export function DataPolicy(props: KeyFormProps) {
  const { form: words } = useWords(keysWords);
  const { values, issues, lockable } = props;
  const tick = (name: 'data_collection' | 'zdr', label: string) => (
    <div>
      <input type="hidden" name={name} value="off" />
      <Checkbox name={name} label={label} checked={textOf(values, name) === 'on'} error={issues[name]} />
    </div>
  );
  return (
    <>
      <Group legend={words.dataPolicy} help={words.dataPolicyHelp}>
        {tick('data_collection', words.noTraining)}
        {tick('zdr', words.nothingKept)}
      </Group>
      <Lock
        {...props}
        name="data_regions"
        legend={words.dataRegions}
        any={words.anyRegion}
        these={words.theseRegions}
        choices={lockable.data_regions}
        none={words.noDataRegions}
      />
      <Lock
        {...props}
        name="quantizations"
        legend={words.quantizations}
        any={words.anyQuantization}
        these={words.theseQuantizations}
        choices={lockable.quantizations}
      />
      <SelectField
        name="rescue"
        label={words.rescue}
        help={words.rescueHelp}
        value={textOf(values, 'rescue')}
        error={issues['rescue']}
        options={(['model', 'on', 'off'] as const).map((value) => ({
          value,
          label: words.rescueChoices[value],
        }))}
      />
    </>
  );
}
