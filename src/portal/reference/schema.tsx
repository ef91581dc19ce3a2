/** The fields of a schema as a list: name, kind, whether it is needed, what it means and within which bounds. */
import type { Child } from 'hono/jsx';
import { type ReferenceWords, referenceWords } from '../languages/reference/index.ts';
import { useWords } from '../ui/speech.tsx';
import { type Description, resolved, type Schema } from './description.ts';

/** Fields that lie deeper are not listed: a schema may contain itself. */
const deepest = 4;

interface FieldsProps {
  readonly schema: Schema;
  readonly description: Pick<Description, 'schemas'>;
  readonly depth?: number;
}

/** Of an object, of the objects of a list, and of the objects that a choice offers; nothing where there are none. */
export function SchemaFields({ schema, description, depth = 0 }: FieldsProps) {
  const objects = depth < deepest ? objectsOf(schema, description) : [];
  return (
    <>
      {objects.map(({ properties = {}, required = [] }) => (
        <dl class="fields">
          {Object.entries(properties).map(([name, field]) => (
            <Field name={name} schema={field} isRequired={required.includes(name)} description={description}>
              <SchemaFields schema={field} description={description} depth={depth + 1} />
            </Field>
          ))}
        </dl>
      ))}
    </>
  );
}

function objectsOf(given: Schema, description: Pick<Description, 'schemas'>, depth = 0): readonly Schema[] {
  const schema = resolved(given, description);
  if (Object.keys(schema.properties ?? {}).length > 0) return [schema];
  const within = [
    ...(schema.anyOf ?? schema.oneOf ?? []),
    ...(schema.items === undefined ? [] : [schema.items]),
  ];
  return depth < deepest ? within.flatMap((one) => objectsOf(one, description, depth + 1)) : [];
}

interface FieldProps {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly description: Pick<Description, 'schemas'>;
  /** In place of the schema's own. */
  readonly text?: string | undefined;
  readonly children?: Child;
}

export function Field({ name, schema: given, isRequired, description, text, children }: FieldProps) {
  const words = useWords(referenceWords);
  const schema = resolved(given, description);
  const bounds = boundsOf(schema, words);
  const meaning = text ?? schema.description;
  return (
    <div>
      <dt>
        <code class="strong">{name}</code>
        <span class="quiet small">{kindOf(schema, { words, description, depth: 0 })}</span>
        {isRequired ? <span class="needed small">{words.required}</span> : null}
      </dt>
      <dd>
        {meaning === undefined ? null : (
          <p>
            <Marked text={meaning} />
          </p>
        )}
        {bounds.length === 0 ? null : <p class="quiet small">{bounds.join(', ')}</p>}
        {schema.enum === undefined ? null : (
          <p class="quiet small choices">
            {words.oneOf}{' '}
            {schema.enum.map((value) => (
              <code>{String(value)}</code>
            ))}
          </p>
        )}
        {children}
      </dd>
    </div>
  );
}

/** What stands between backticks is code. */
export function Marked({ text }: { readonly text: string }) {
  return <>{text.split('`').map((part, index) => (index % 2 === 0 ? part : <code>{part}</code>))}</>;
}

interface Speaking {
  readonly words: ReferenceWords;
  readonly description: Pick<Description, 'schemas'>;
  readonly depth: number;
}

/** The kinds of JSON Schema keep their names in every language. */
function kindOf(given: Schema, speaking: Speaking): string {
  const { words, description, depth } = speaking;
  const schema = resolved(given, description);
  const deeper = { ...speaking, depth: depth + 1 };
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined && depth < deepest) {
    return [...new Set(variants.map((one) => kindOf(one, deeper)))].join(` ${words.or} `);
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const kinds = (typeof schema.type === 'string' ? [schema.type] : (schema.type ?? [])).map((kind) =>
    kind === 'array' ? listOf(schema, deeper) : (schema.format ?? kind),
  );
  return kinds.length === 0 ? words.anything : kinds.join(` ${words.or} `);
}

function listOf({ items }: Schema, speaking: Speaking): string {
  const { words, depth } = speaking;
  const isTold = items !== undefined && Object.keys(items).length > 0 && depth < deepest;
  return isTold ? words.arrayOf(kindOf(items, speaking)) : words.array;
}

function boundsOf(schema: Schema, words: ReferenceWords): readonly string[] {
  const { minimum, maximum, minLength, maxLength } = schema;
  return [
    ...(minimum === undefined ? [] : [words.atLeast(String(minimum))]),
    // The largest whole number that a program can hold is no bound that anybody meets.
    ...(maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? [] : [words.atMost(String(maximum))]),
    ...(minLength === undefined ? [] : [words.charactersAtLeast(String(minLength))]),
    ...(maxLength === undefined ? [] : [words.charactersAtMost(String(maxLength))]),
  ];
}
