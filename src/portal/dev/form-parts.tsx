/** Every kind of field, empty, filled, wrong and disabled. */
import { Button } from '../ui/button.tsx';
import { Checkbox, RadioField, Switch } from '../ui/control.tsx';
import { ErrorSummary, FieldPair, SelectField, TextArea, TextField } from '../ui/field.tsx';
import { Search, Toolbar } from '../ui/table.tsx';
import { Specimen, Specimens } from './specimen.tsx';

const models = [
  { value: 'all', label: 'Every model in the organisation', help: 'New ones too.' },
  { value: 'some', label: 'Only these' },
  { value: 'none', label: 'None', disabled: true },
];

export function FormParts() {
  return (
    <Specimens title="Forms">
      <Specimen name="Fields">
        <form class="form" method="get">
          <TextField
            name="name"
            label="Name"
            value="checkout-assistant"
            help="Letters, digits and hyphens."
          />
          <TextField name="team" label="Team" isOptional placeholder="Platform" />
          <FieldPair>
            <TextField name="budget" label="Budget" value="200.00" before="$" inputmode="decimal" />
            <TextField name="timeout" label="Timeout" value="600" behind="ms" inputmode="numeric" />
          </FieldPair>
          <FieldPair>
            <SelectField
              name="renews"
              label="Renews"
              value="month"
              options={[
                { value: 'day', label: 'Every day' },
                { value: 'month', label: 'Every month, on the 1st' },
              ]}
            />
            <TextField name="until" label="Until" type="date" />
          </FieldPair>
          <TextField name="password" label="Password" type="password" autocomplete="new-password" />
          <TextArea name="note" label="Note" help="Only administrators see it." isOptional />
          <RadioField name="models" legend="May use" options={models} value="all" />
          <div>
            <Checkbox name="mail" label="Mail the owner at 80% and 100%" checked />
            <Checkbox name="log" label="Keep prompts for 30 days" help="Whoever administers can read them." />
            <Switch name="enabled" label="Enabled" checked />
            <Switch name="public" label="Shown to everybody" help="Also to visitors who are not signed in." />
          </div>
          <p class="form-actions">
            <Button look="primary">Save key</Button>
            <Button look="ghost" type="button">
              Cancel
            </Button>
          </p>
        </form>
      </Specimen>
      <Specimen name="With mistakes">
        <form class="form" method="get" novalidate>
          <ErrorSummary
            mistakes={[
              { name: 'wrong-name', message: 'A key with this name exists: choose another.' },
              { name: 'wrong-budget', message: 'The budget must be at least $1.00.' },
            ]}
          />
          <TextField
            name="wrong-name"
            label="Name"
            value="support-bot"
            error="A key with this name exists: choose another."
            help="Letters, digits and hyphens."
          />
          <TextField
            name="wrong-budget"
            label="Budget"
            value="0.20"
            before="$"
            error="The budget must be at least $1.00."
          />
          <SelectField
            name="wrong-region"
            label="Region"
            error="Choose a region that has a provider."
            options={[{ value: 'eu', label: 'EU only' }]}
          />
          <Checkbox
            name="wrong-terms"
            label="I accept the terms"
            error="Without the terms no account can be made."
          />
        </form>
      </Specimen>
      <Specimen name="Disabled">
        <div class="form">
          <TextField name="off-name" label="Name" value="support-bot" disabled />
          <SelectField
            name="off-region"
            label="Region"
            disabled
            options={[{ value: 'eu', label: 'EU only' }]}
          />
          <TextField name="off-budget" label="Budget" value="20.00" before="$" disabled />
          <div>
            <Checkbox name="off-mail" label="Mail the owner" checked disabled />
            <Switch name="off-enabled" label="Enabled" checked disabled />
          </div>
        </div>
      </Specimen>
      <Specimen name="Toolbar">
        <Toolbar
          search={<Search name="q" label="Name or last characters" keeps={{ part: 'form' }} />}
        ></Toolbar>
      </Specimen>
    </Specimens>
  );
}
