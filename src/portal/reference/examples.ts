/** What an operation is asked with: an example of its body, and the same request for a terminal, Python and TypeScript. */
import type { Sample } from '../ui/code.tsx';
import { quote } from '../ui/commands.tsx';
import { type Description, type Operation, resolved, type Schema } from './description.ts';

export interface Asking {
  readonly operation: Operation;
  /** Where people reach this service, without a slash at the end. */
  readonly address: string;
  /** Null where nothing is sent. */
  readonly body: unknown;
}

/** Deeper, a schema is an empty object. */
const deepest = 6;

/** What an operation's body looks like: the example of the description, else one made of what its schema requires. */
export function exampleBody(
  { body }: Pick<Operation, 'body'>,
  description: Pick<Description, 'schemas'>,
): unknown {
  if (body === null) return null;
  return body.example ?? exampleOf(body.schema, { description, depth: 0 });
}

interface Within {
  readonly description: Pick<Description, 'schemas'>;
  readonly depth: number;
}

function exampleOf(given: Schema, { description, depth }: Within): unknown {
  const schema = resolved(given, description);
  const deeper = { description, depth: depth + 1 };
  const [variant] = schema.anyOf ?? schema.oneOf ?? [];
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (variant !== undefined && depth < deepest) return exampleOf(variant, deeper);
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0];
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
  if (type === 'boolean') return false;
  if (type === 'array') return [];
  if (type !== 'object') return schema.format === 'email' ? 'you@example.com' : '…';
  const required = depth < deepest ? (schema.required ?? []) : [];
  return Object.fromEntries(
    required.map((name) => [name, exampleOf(schema.properties?.[name] ?? {}, deeper)]),
  );
}

export function samplesOf(asking: Asking): readonly [Sample, ...Sample[]] {
  return [curl(asking), python(asking), typescript(asking)];
}

const urlOf = ({ address, operation: { path, parameters } }: Asking): string => {
  const needed = parameters.filter((one) => one.in === 'query' && one.required);
  const query = needed.map(({ name }) => `${name}=…`).join('&');
  return `${address}${path}${query === '' ? '' : `?${query}`}`;
};

/** The session's cookie has another name where it travels sealed. */
const sessionCookieAt = (address: string): string =>
  address.startsWith('https:') ? '__Host-sluice' : 'sluice';

const isForm = ({ operation: { body } }: Asking): boolean => body?.type === 'multipart/form-data';

function curl(asking: Asking): Sample {
  const { operation, address, body } = asking;
  const { method, needs } = operation;
  const lines = [
    `curl ${quote(urlOf(asking))}`,
    ...(method === 'GET' || (method === 'POST' && body !== null) ? [] : [`-X ${method}`]),
    ...(needs === 'token' ? ['-H "Authorization: Bearer $SLUICE_TOKEN"'] : []),
    ...(needs === 'session' ? [`-b "${sessionCookieAt(address)}=$SLUICE_SESSION"`] : []),
    ...(isForm(asking)
      ? fieldsOf(body).map(([name, value]) => `-F ${quote(`${name}=${value}`)}`)
      : body === null
        ? []
        : [
            '-H "Content-Type: application/json"',
            `-d ${quote(JSON.stringify(body, null, 2).replaceAll('\n', '\n  '))}`,
          ]),
  ];
  return { name: 'curl', code: lines.join(' \\\n  ') };
}

/** Of a form; a file is named as curl names it. */
function fieldsOf(body: unknown): readonly (readonly [string, string])[] {
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).map(([name, value]) => [name, name === 'file' ? '@speech.mp3' : String(value)]);
}

function python(asking: Asking): Sample {
  const { operation, address, body } = asking;
  const { method, needs } = operation;
  const fields = fieldsOf(body).filter(([name]) => name !== 'file');
  const parts = [
    JSON.stringify(urlOf(asking)),
    ...(needs === 'token' ? [`headers={"Authorization": f"Bearer {os.environ['SLUICE_TOKEN']}"}`] : []),
    ...(needs === 'session' ? [`cookies={"${sessionCookieAt(address)}": os.environ["SLUICE_SESSION"]}`] : []),
    ...(isForm(asking)
      ? [
          'files={"file": open("speech.mp3", "rb")}',
          `data=${pythonOf(Object.fromEntries(fields)).replaceAll('\n', '\n    ')}`,
        ]
      : body === null
        ? []
        : [`json=${pythonOf(body).replaceAll('\n', '\n    ')}`]),
  ];
  const code = [
    '# pip install requests',
    ...(needs === 'nothing' ? [] : ['import os']),
    'import requests',
    '',
    `answer = requests.${method.toLowerCase()}(`,
    ...parts.map((part) => `    ${part},`),
    ')',
    'print(answer.status_code, answer.text)',
  ];
  return { name: 'Python', code: code.join('\n') };
}

/** JSON as Python writes it: what is not within quotes has other names there. */
const pythonOf = (value: unknown): string =>
  JSON.stringify(value, null, 4).replaceAll(
    /"(?:[^"\\]|\\.)*"|\b(true|false|null)\b/g,
    (whole, word: string | undefined) => (word === undefined ? whole : (pythonWords[word] ?? whole)),
  );
const pythonWords: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };

function typescript(asking: Asking): Sample {
  const { operation, address, body } = asking;
  const { method, needs } = operation;
  const headers = [
    ...(needs === 'token' ? [`Authorization: \`Bearer \${process.env.SLUICE_TOKEN}\``] : []),
    ...(needs === 'session'
      ? [`Cookie: \`${sessionCookieAt(address)}=\${process.env.SLUICE_SESSION}\``]
      : []),
    ...(body === null || isForm(asking) ? [] : ['"Content-Type": "application/json"']),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`method: "${method}"`]),
    ...(headers.length === 0 ? [] : [`headers: { ${headers.join(', ')} }`]),
    ...(isForm(asking)
      ? ['body: form']
      : body === null
        ? []
        : [`body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')})`]),
  ];
  const form = [
    'import { openAsBlob } from "node:fs";',
    '',
    'const form = new FormData();',
    ...fieldsOf(body).map(([name, value]) =>
      name === 'file'
        ? 'form.append("file", await openAsBlob("speech.mp3"), "speech.mp3");'
        : `form.append("${name}", ${JSON.stringify(value)});`,
    ),
  ];
  const url = JSON.stringify(urlOf(asking));
  const code = [
    ...(isForm(asking) ? form : []),
    options.length === 0 ? `const answer = await fetch(${url});` : `const answer = await fetch(${url}, {`,
    ...options.map((option) => `  ${option},`),
    ...(options.length === 0 ? [] : ['});']),
    'console.log(answer.status, await answer.text());',
  ];
  return { name: 'TypeScript', code: code.join('\n') };
}
