/** The form of a key, new or known: its fields with what is wrong beside them, and what the key will be able to do. */
import { keyScopes } from '../../../identity/index.ts';
import { budgetPeriods } from '../../../ledger/index.ts';
import type { KeysWords } from '../../languages/keys/en.ts';
import { keysWords } from '../../languages/keys/index.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { Below } from '../../ui/control.tsx';
import { ErrorSummary, FieldPair, SelectField, TextField } from '../../ui/field.tsx';
import { useWords } from '../../ui/speech.tsx';
import { expiries } from './key-fields.ts';
import { Group, Lock } from './key-locks.tsx';
import type { KeyFormProps } from './key-props.ts';
import { listOf, textOf } from './key-values.ts';
import { RareFields, rareFields } from './rare-fields.tsx';

const order = [
  ...['name', 'owner', 'department', 'project', 'expires', 'expires_on'],
  ...budgetPeriods.map((period) => `budget_${period}`),
  ...['models', 'requests_per_minute', 'tokens_per_minute', 'concurrent_requests', 'scopes'],
  ...rareFields,
];

export function KeyForm(props: KeyFormProps) {
  const { form: words } = useWords(keysWords);
  const { to, values, issues, revision, isOvertaken = false } = props;
  const known = new Set(order);
  const mistakes = order.flatMap((name) => {
    const message = issues[name];
    return message === undefined ? [] : [{ name: anchorOf(name), label: labelOf(name, words), message }];
  });
  const others = Object.entries(issues).filter(([name]) => !known.has(name));
  return (
    <form class="key-form" method="post" action={to} data-key-form>
      <div class="form">
        {isOvertaken ? (
          <Callout tone="warn">
            <p>{words.overtaken}</p>
          </Callout>
        ) : (
          <ErrorSummary mistakes={mistakes}>{others[0]?.[1]}</ErrorSummary>
        )}
        {revision === null ? null : <input type="hidden" name="revision" value={String(revision)} />}
        <EndNow {...props} />
        <TextField
          name="name"
          label={words.name}
          help={words.nameHelp}
          value={textOf(values, 'name')}
          error={issues['name']}
          maxLength={100}
          autocomplete="off"
          required
        />
        <Belonging {...props} />
        <Expiry {...props} />
        <Budgets {...props} />
        <Lock
          {...props}
          name="models"
          legend={words.models}
          any={words.anyModel}
          these={words.theseModels}
          choices={props.lockable.models}
        />
        <Limits {...props} />
        <Scopes {...props} />
        <RareFields {...props} />
        <p class="form-actions">
          <Button look="primary">{props.submit}</Button>
          <LinkButton href={props.cancelHref}>{words.cancel}</LinkButton>
          {revision === null ? <span class="quiet small">{words.shownOnce}</span> : null}
        </p>
      </div>
      <CanDo sentences={props.sentences} />
    </form>
  );
}

const locks = new Set(['models', 'providers', 'regions', 'data_regions', 'quantizations']);

/** A link of the summary leads to the first control of a group. */
const anchorOf = (name: string): string => {
  if (locks.has(name)) return `${name}-any`;
  return name === 'scopes' ? 'scopes-inference' : name;
};

/** What the summary calls a field; nothing where its message says enough. */
function labelOf(name: string, words: KeysWords['form']): string | undefined {
  const period = budgetPeriods.find((each) => name === `budget_${each}`);
  if (period !== undefined) return `${words.budgets}, ${words.budgetNames[period]}`;
  const labels: Readonly<Record<string, string>> = {
    ...{ name: words.name, owner: words.owner, department: words.department, project: words.project },
    ...{ expires: words.expires, expires_on: words.expiresOn, models: words.models, scopes: words.scopes },
    requests_per_minute: words.requestsPerMinute,
    tokens_per_minute: words.tokensPerMinute,
    concurrent_requests: words.concurrentRequests,
    ...{ providers: words.providers, regions: words.regions, rescue: words.rescue },
    ...{ data_collection: words.dataPolicy, zdr: words.dataPolicy },
    ...{ data_regions: words.dataRegions, quantizations: words.quantizations },
  };
  return labels[name];
}

export function CanDo({ sentences }: { readonly sentences: readonly string[] }) {
  const { canDo } = useWords(keysWords);
  return (
    <aside class="can-do" aria-labelledby="can-do-title">
      <h2 id="can-do-title">{canDo.title}</h2>
      <ul data-can-do aria-live="polite">
        {sentences.map((sentence) => (
          <li>{sentence}</li>
        ))}
      </ul>
    </aside>
  );
}

function Belonging({ values, issues, departments, projects, choosesOwner, revision }: KeyFormProps) {
  const { form: words } = useWords(keysWords);
  const optionsOf = (
    field: 'department' | 'project',
    none: string,
    all: readonly { readonly id: number; readonly name: string }[],
  ) => {
    const present = textOf(values, field);
    const isListed = revision === null || present === '' || all.some(({ id }) => String(id) === present);
    return [
      { value: '', label: none },
      ...all.map(({ id, name }) => ({ value: String(id), label: name })),
      // Where a key is need not be among what its reader sees; without it a browser would choose the first.
      ...(isListed ? [] : [{ value: present, label: `#${present}` }]),
    ];
  };
  return (
    <>
      {choosesOwner && revision === null ? (
        <TextField
          name="owner"
          type="email"
          label={words.owner}
          help={words.ownerHelp}
          value={textOf(values, 'owner')}
          error={issues['owner']}
          autocomplete="off"
        />
      ) : null}
      {departments.length === 0 && projects.length === 0 ? null : (
        <FieldPair>
          {departments.length === 0 ? null : (
            <SelectField
              name="department"
              label={words.department}
              value={textOf(values, 'department')}
              error={issues['department']}
              options={optionsOf('department', words.ofOwner, departments)}
            />
          )}
          {projects.length === 0 ? null : (
            <SelectField
              name="project"
              label={words.project}
              value={textOf(values, 'project')}
              error={issues['project']}
              options={optionsOf('project', words.noProject, projects)}
            />
          )}
        </FieldPair>
      )}
    </>
  );
}

function Expiry({ values, issues, revision }: KeyFormProps) {
  const { form: words } = useWords(keysWords);
  return (
    <FieldPair>
      <SelectField
        name="expires"
        label={words.expires}
        value={textOf(values, 'expires')}
        error={issues['expires']}
        options={expiries
          .filter(
            // Whoever was overtaken may keep the end that another gave it.
            (expiry) => expiry !== 'keep' || (revision !== null && textOf(values, 'expires_at') !== ''),
          )
          .map((expiry) => ({ value: expiry, label: words.expiry[expiry] }))}
      />
      <TextField
        name="expires_on"
        type="date"
        label={words.expiresOn}
        value={textOf(values, 'expires_on')}
        error={issues['expires_on']}
        isOptional
      />
    </FieldPair>
  );
}

/** For the sentences alone, to which `keep` says nothing of when that is. */
function EndNow({ values, revision }: KeyFormProps) {
  const end = textOf(values, 'expires_at');
  return revision === null || end === '' ? null : <input type="hidden" name="ends_now" value={end} />;
}

function Budgets({ values, issues }: KeyFormProps) {
  const { form: words } = useWords(keysWords);
  return (
    <Group legend={words.budgets} help={words.budgetsHelp}>
      <FieldPair>
        {budgetPeriods.map((period) => (
          <TextField
            name={`budget_${period}`}
            label={words.budgetNames[period]}
            value={textOf(values, `budget_${period}`)}
            error={issues[`budget_${period}`]}
            before="$"
            inputmode="decimal"
            autocomplete="off"
          />
        ))}
      </FieldPair>
    </Group>
  );
}

function Limits({ values, issues }: KeyFormProps) {
  const { form: words } = useWords(keysWords);
  const fields = [
    ['requests_per_minute', words.requestsPerMinute],
    ['tokens_per_minute', words.tokensPerMinute],
    ['concurrent_requests', words.concurrentRequests],
  ] as const;
  return (
    <Group legend={words.limits} help={words.limitsHelp}>
      <FieldPair>
        {fields.map(([name, label]) => (
          <TextField
            name={name}
            label={label}
            value={textOf(values, name)}
            error={issues[name]}
            inputmode="numeric"
            autocomplete="off"
          />
        ))}
      </FieldPair>
    </Group>
  );
}

function Scopes({ values, issues }: KeyFormProps) {
  const { form: words } = useWords(keysWords);
  const chosen = new Set(listOf(values, 'scopes'));
  return (
    <fieldset class="field">
      <legend class="label">{words.scopes}</legend>
      <input type="hidden" name="scopes" value="" />
      {keyScopes.map((scope) => (
        <label class="tick" for={`scopes-${scope}`}>
          <input
            type="checkbox"
            class="checkbox"
            id={`scopes-${scope}`}
            name="scopes"
            value={scope}
            checked={chosen.has(scope)}
            {...(issues['scopes'] === undefined
              ? {}
              : { 'aria-describedby': 'scopes-error', 'aria-invalid': 'true' as const })}
          />
          <span>{words.scopeNames[scope]}</span>
        </label>
      ))}
      <Below name="scopes" help={undefined} error={issues['scopes']} />
    </fieldset>
  );
}
