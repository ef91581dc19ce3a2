/** A description (OpenAPI 3.1) as the pages of the reference read it: its operations, their fields and their answers. */
import { z } from 'zod';

export type Json = Readonly<Record<string, unknown>>;

/** What the pages read of a schema; whatever else it says is of no use to who reads it there. */
export interface Schema {
  readonly $ref?: string | undefined;
  readonly type?: string | readonly string[] | undefined;
  readonly description?: string | undefined;
  readonly format?: string | undefined;
  readonly const?: unknown;
  readonly enum?: readonly unknown[] | undefined;
  readonly default?: unknown;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly required?: readonly string[] | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly items?: Schema | undefined;
  readonly anyOf?: readonly Schema[] | undefined;
  readonly oneOf?: readonly Schema[] | undefined;
}

const schemaShape: z.ZodType<Schema> = z.lazy(() =>
  z.object({
    $ref: z.string().optional(),
    type: z.union([z.string(), z.array(z.string())]).optional(),
    description: z.string().optional(),
    format: z.string().optional(),
    const: z.unknown().optional(),
    enum: z.array(z.unknown()).optional(),
    default: z.unknown().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    minLength: z.number().optional(),
    maxLength: z.number().optional(),
    required: z.array(z.string()).optional(),
    properties: z.record(z.string(), schemaShape).optional(),
    items: schemaShape.optional(),
    anyOf: z.array(schemaShape).optional(),
    oneOf: z.array(schemaShape).optional(),
  }),
);

const contentShape = z.record(
  z.string(),
  z.object({ schema: schemaShape.optional(), example: z.unknown().optional() }),
);

const operationShape = z.object({
  summary: z.string(),
  description: z.string().optional(),
  tags: z.array(z.string()).default(['API']),
  security: z.array(z.record(z.string(), z.unknown())).optional(),
  parameters: z
    .array(
      z.object({
        name: z.string(),
        in: z.enum(['path', 'query', 'header']),
        required: z.boolean(),
        description: z.string().optional(),
        schema: schemaShape,
      }),
    )
    .default([]),
  requestBody: z.object({ content: contentShape }).optional(),
  responses: z.record(z.string(), z.object({ description: z.string(), content: contentShape.default({}) })),
});

const methods = ['get', 'post', 'put', 'delete'] as const;

const documentShape = z.object({
  info: z.object({ title: z.string(), version: z.string(), description: z.string() }),
  security: z.array(z.record(z.string(), z.unknown())).default([]),
  paths: z.record(z.string(), z.partialRecord(z.enum(methods), operationShape)),
  components: z.object({ schemas: z.record(z.string(), schemaShape).default({}) }).prefault({}),
});

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string | undefined;
  readonly schema: Schema;
}

export interface Operation {
  /** Its name in addresses: `post-v1-chat-completions`. */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string | null;
  /** What a program must bring: a token wherever one is taken, else the session of whoever is signed in, or nothing. */
  readonly needs: 'token' | 'session' | 'nothing';
  /** Whether the session of whoever is signed in does, too, which a form on the page has without asking. */
  readonly takesSession: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: Body | null;
  readonly answers: readonly Answer[];
}

/** As the first of the media types that are taken. */
export interface Body {
  readonly type: string;
  readonly schema: Schema;
  readonly example: unknown;
}

interface Answer {
  readonly status: string;
  readonly description: string;
  /** Media types. */
  readonly types: readonly string[];
  readonly schema: Schema | null;
}

export interface Description {
  readonly version: string;
  readonly text: string;
  readonly operations: readonly Operation[];
  /** That schemas refer to, by `#/components/schemas/<name>`. */
  readonly schemas: Readonly<Record<string, Schema>>;
}

/** @throws ZodError for what is no description of the kind that this program makes. */
export function readDescription(document: Json): Description {
  const { info, security, paths, components } = documentShape.parse(document);
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method): readonly Operation[] => {
      const found = item[method];
      return found === undefined ? [] : [readOperation({ method, path, found, security })];
    }),
  );
  return { version: info.version, text: info.description, operations, schemas: components.schemas };
}

interface Found {
  readonly method: string;
  readonly path: string;
  readonly found: z.output<typeof operationShape>;
  /** Of the whole description. */
  readonly security: readonly Json[];
}

function readOperation({ method, path, found, security }: Found): Operation {
  const { summary, description, tags, parameters, requestBody, responses } = found;
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const schemes = (found.security ?? security).flatMap((one) => Object.keys(one));
  return {
    id: `${method}-${path.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^-|-$/g, '')}`,
    method: method.toUpperCase(),
    path,
    tag: tags[0] ?? info,
    summary,
    description: description ?? null,
    needs: schemes.length === 0 ? 'nothing' : schemes.every(isSession) ? 'session' : 'token',
    takesSession: schemes.some(isSession),
    parameters,
    body:
      type === undefined ? null : { type, schema: content?.schema ?? {}, example: content?.example ?? null },
    answers: Object.entries(responses).map(([status, answer]) => ({
      status,
      description: answer.description,
      types: Object.keys(answer.content),
      schema: Object.values(answer.content)[0]?.schema ?? null,
    })),
  };
}

const isSession = (scheme: string): boolean => scheme === 'session';

/** Of operations whose description names no group. */
const info = 'API';

/** What a reference stands for; itself where it is none, or leads nowhere. */
export function resolved(schema: Schema, { schemas }: Pick<Description, 'schemas'>): Schema {
  const name = schema.$ref?.replace('#/components/schemas/', '');
  return name === undefined ? schema : (schemas[name] ?? schema);
}
