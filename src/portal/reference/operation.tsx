/** One operation: what it takes and answers, a request to copy, and a form that sends one from here. */
import { referenceWords } from '../languages/reference/index.ts';
import { CopyButton } from '../ui/button.tsx';
import { CodeSamples } from '../ui/code.tsx';
import { Icon } from '../ui/icon.tsx';
import { useWords } from '../ui/speech.tsx';
import { Tag } from '../ui/state.tsx';
import type { Description, Operation } from './description.ts';
import { type Asking, samplesOf } from './examples.ts';
import { Field, Marked, SchemaFields } from './schema.tsx';
import { TryForm } from './try-form.tsx';

interface OperationPageProps {
  readonly asking: Asking;
  readonly description: Description;
  /** The list of all operations. */
  readonly back: string;
  readonly hrefOf: (operation: Operation) => string;
}

export function OperationPage({ asking, description, back, hrefOf }: OperationPageProps) {
  const { operation, address } = asking;
  const words = useWords(referenceWords);
  const neighbours = description.operations.filter(({ tag }) => tag === operation.tag);
  return (
    <div class="operation">
      <nav class="operation-list" aria-label={words.operations}>
        <a class="link small" href={back}>
          <Icon name="arrow-left" size={14} />
          {words.all}
        </a>
        <p class="quiet small">{operation.tag}</p>
        <ul>
          {neighbours.map((one) => (
            <li>
              <a href={hrefOf(one)} {...(one.id === operation.id ? { 'aria-current': 'page' } : {})}>
                <span class="operation-method">{one.method}</span>
                <code>{one.path.replaceAll('/', '/\u200b')}</code>
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <article>
        <h1>
          <Marked text={operation.summary} />
        </h1>
        <p class="operation-address">
          <span class="operation-method">{operation.method}</span>
          <code>
            <span class="quiet">{address}</span>
            {operation.path.replaceAll('/', '/\u200b')}
          </code>
          <CopyButton text={`${address}${operation.path}`} />
        </p>
        <p class="operation-needs">
          <Tag>{words.needs[operation.needs]}</Tag>
          {operation.description === null ? null : (
            <span class="quiet small">
              <Marked text={operation.description} />
            </span>
          )}
        </p>
        <div class="operation-parts">
          <div>
            <Told operation={operation} description={description} />
          </div>
          <div>
            <h2>{words.parts.request}</h2>
            <CodeSamples id="request" samples={samplesOf(asking)} />
            <TryForm asking={asking} description={description} />
          </div>
        </div>
      </article>
    </div>
  );
}

function Told({
  operation,
  description,
}: {
  readonly operation: Operation;
  readonly description: Description;
}) {
  const { parts } = useWords(referenceWords);
  const { parameters, body, answers } = operation;
  return (
    <>
      {(['path', 'query', 'header'] as const).map((place) => {
        const fields = parameters.filter((one) => one.in === place);
        if (fields.length === 0) return null;
        return (
          <>
            <h2>{parts[place]}</h2>
            <dl class="fields">
              {fields.map(({ name, schema, required, description: text }) => (
                <Field
                  name={name}
                  schema={schema}
                  isRequired={required}
                  description={description}
                  text={text}
                />
              ))}
            </dl>
          </>
        );
      })}
      {body === null ? null : (
        <>
          <h2>
            {parts.body} <code class="quiet">{body.type}</code>
          </h2>
          <SchemaFields schema={body.schema} description={description} />
        </>
      )}
      <h2>{parts.answers}</h2>
      <dl class="answers">
        {answers.map(({ status, description: text, types, schema }) => (
          <div>
            <dt class="number strong">{status}</dt>
            <dd>
              <p>
                <Marked text={text} />
              </p>
              {status.startsWith('2') ? (
                <>
                  <p class="quiet small">
                    <code>{types.join(', ')}</code>
                  </p>
                  {schema === null ? null : <SchemaFields schema={schema} description={description} />}
                </>
              ) : null}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
