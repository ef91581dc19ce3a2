/** Words that people read stand in the dictionaries: a sentence in a page's code is found here. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';
import { z } from 'zod';

const portal = join(import.meta.dir, '..');

/** Names that are the same in every language, and texts that no reader is shown. */
const allowed: readonly (string | RegExp)[] = [
  ...['Sluice', 'Esc', '⌘K', 'UTC', 'Samsung Internet', 'MiB'],
  ...['Python', 'TypeScript', 'OpenAI', 'Anthropic', 'Vercel AI SDK', 'LangChain', 'Claude Code', 'Codex'],
  'Gemini',
  // Headers, and what robots read.
  /^x-[a-z-]+$/,
  /^<\?xml /,
  // Commands and code are not translated.
  /^npx sluice /,
  '<!doctype html>',
  // Where a file of the operator's is wrong, told when the program starts.
  'the head',
  // What a route is for, in the description of the API.
  /^Where somebody lands whose /,
  // What an example asks.
  /^(Why is the sky blue\?|Air scatters blue light most\.|Grass is green\.)$/,
  // Errors of the API are English; pages show them by their codes.
  /^The body is larger than the$|^bytes that are taken here\.$/,
  // Selectors of the islands.
  /^[.#[][\w"=-]+\]?( |$)/,
  /^[A-Z]+(_[A-Z]+)+$/,
];

/** Attributes and members that are read aloud or shown. */
const spoken = new Set([
  ...['title', 'label', 'placeholder', 'alt', 'aria-label', 'aria-description', 'aria-roledescription'],
  ...['help', 'error', 'heading', 'description', 'summary', 'text', 'caption', 'legend', 'message', 'note'],
  ...['paragraphs', 'detail', 'name', 'unit', 'confirm'],
]);

/** Members that browsers and machines read; everywhere else a text of two words is a sentence. */
const technical =
  /^(class|className|d|viewBox|rel|content|sizes|media|autocomplete|points|transform|pattern|accept|enctype|href|src|policy|vary|code|command|lines|type|kind|format|path)$|^(data-|cache-|content-)/;

const anyWord = /\p{L}{2}/u;
/** A lower-case word alone is the name of an icon or of a field. */
const spokenWord = /^\P{L}*\p{Lu}\p{L}|\p{L} \p{L}/u;
const twoWords = /\p{Ll}{2,} \p{L}{2,}/u;

const nodeSchema = z.looseObject({ type: z.string() });
type Node = z.infer<typeof nodeSchema>;

/** Texts in a source that its reader would see. */
function findSentences(source: string, isTsx = true): readonly string[] {
  const found: string[] = [];
  const keep = (text: string, looksLikeWords: RegExp) => {
    const plain = text.replace(/\s+/g, ' ').trim();
    if (
      looksLikeWords.test(plain) &&
      !allowed.some((one) => (typeof one === 'string' ? one === plain : one.test(plain)))
    ) {
      found.push(plain);
    }
  };
  const visit = (value: unknown, place: 'code' | 'spoken' | 'technical'): void => {
    if (Array.isArray(value)) {
      for (const one of value) visit(one, place);
      return;
    }
    const read = nodeSchema.safeParse(value);
    if (!read.success) {
      if (typeof value === 'object' && value !== null) visit(Object.values(value), place);
      return;
    }
    const node = read.data;
    if (isForMachines(node)) return;
    if (node.type === 'JSXText') keep(String(node['value']), anyWord);
    if (place !== 'technical') {
      if (node.type === 'StringLiteral')
        keep(String(node['value']), place === 'spoken' ? spokenWord : twoWords);
      if (node.type === 'TemplateElement')
        keep(String(node['raw']), place === 'spoken' ? spokenWord : twoWords);
    }
    const name = nameOf(node);
    const within = name === null ? place : placeOf(name);
    for (const [key, member] of Object.entries(node)) {
      // The key of a member and the name of an attribute are no text; what is compared is not shown.
      if (key === 'span' || (name !== null && key !== 'value')) continue;
      visit(member, node.type === 'JSXElement' && key === 'children' ? 'code' : within);
    }
  };
  visit(parseSync(source, { syntax: 'typescript', tsx: isTsx }).body, 'code');
  return found;
}

function placeOf(name: string): 'code' | 'spoken' | 'technical' {
  if (technical.test(name)) return 'technical';
  return spoken.has(name) ? 'spoken' : 'code';
}

/** Imports, types, patterns, comparisons and errors for the log. */
function isForMachines(node: Node): boolean {
  if (/^(Import|Export(All|Named))|^Ts(?!As|Satisfies|NonNull|Const)|RegExp/.test(node.type)) {
    return node.type !== 'ExportDeclaration';
  }
  if (node.type === 'NewExpression' || node.type === 'ThrowStatement') return true;
  if (node.type === 'BinaryExpression') return /^[!=]==?$/.test(String(node['operator']));
  if (node.type === 'VariableDeclarator')
    return /^(tag|summaries)$|Refusals$/.test(nameOfVariable(node) ?? '');
  // What a route is for is said in the description of the API, which is English.
  if (node.type === 'KeyValueProperty') return /^(summary|tag|refusals)$/.test(nameOf(node) ?? '');
  if (node.type !== 'CallExpression') return false;
  const callee = JSON.stringify(node['callee']);
  return /"value":"(log|setCookie|header|test|replace|replaceAll|split|matchAll|match|exec|get|post|use|refused|describe|take|giveOneBack)"/.test(
    callee,
  );
}

const variableSchema = z.object({ id: z.object({ value: z.string() }) });

const nameOfVariable = (node: Node): string | undefined => variableSchema.safeParse(node).data?.id.value;

const namedSchema = z.object({
  type: z.enum(['JSXAttribute', 'KeyValueProperty']),
  name: z.looseObject({ value: z.string().optional() }).optional(),
  key: z.looseObject({ value: z.union([z.string(), z.number()]).optional() }).optional(),
});

function nameOf(node: Node): string | null {
  const { data } = namedSchema.safeParse(node);
  if (data === undefined) return null;
  return String(data.name?.value ?? data.key?.value ?? '');
}

// Code to copy is not translated, and the files of examples have nothing else.
const files = [...new Bun.Glob('**/*.{ts,tsx}').scanSync(portal)].filter(
  (file) =>
    !/\.test\.|^(languages|dev|testing)\/|^(openapi|reference\/examples|dashboard\/guide\/guide-samples)\.ts$/.test(
      file,
    ),
);

describe('what a page says', () => {
  test.each(files.toSorted())('%s has no words of its own', (file) => {
    expect(findSentences(readFileSync(join(portal, file), 'utf8'), file.endsWith('.tsx'))).toEqual([]);
  });

  test.each([
    ['<p>Good morning</p>', 'Good morning'],
    ['<p>Hello</p>', 'Hello'],
    ['<p>{"Come in"}</p>', 'Come in'],
    ['<p>{isOpen ? `come back` : null}</p>', 'come back'],
    ['<Button label="Save" />', 'Save'],
    ['<img alt={"A lake"} />', 'A lake'],
    ["showNotice(context, 404, { title: 'Nothing', paragraphs: ['Go home'] })", 'Nothing', 'Go home'],
    ["const greeting = 'Good morning to you';", 'Good morning to you'],
  ])('is found in %s', (source, ...sentences) => {
    expect(findSentences(source)).toEqual(sentences.filter((one) => typeof one === 'string'));
  });

  test.each([
    '<p class="quiet small">{words.greeting}</p>',
    "import { sentence } from 'a long path';",
    "throw new Error('there is no font here')",
    "if (text === 'no answer yet') leave()",
    "type Kind = 'one thing' | 'another thing';",
    "log.error('a page failed', {})",
    '<kbd>⌘K</kbd>',
    "setCookie(context, 'a b', { path: '/' })",
  ])('is not found in %s', (source) => {
    expect(findSentences(source)).toEqual([]);
  });
});

/** Every text of a source, as it is shown. */
function findTexts(source: string): readonly string[] {
  const found: string[] = [];
  const visit = (value: unknown): void => {
    const { data: node } = nodeSchema.safeParse(value);
    if (node?.type === 'StringLiteral') found.push(String(node['value']));
    if (node?.type === 'TemplateElement') found.push(String(node['cooked']));
    if (typeof value === 'object' && value !== null) Object.values(value).forEach(visit);
  };
  visit(parseSync(source, { syntax: 'typescript' }).body);
  return found;
}

// A no-break space (U+00A0) before a colon and inside « », a narrow one (U+202F) before ; ! ? and in numbers.
const plainSpace = /(?<= )[:;?!»]|(?<=«) |(?<=\d) (?=\d{3}\b)/;

test.each([...new Bun.Glob('**/fr.ts').scanSync(join(portal, '..'))].toSorted())(
  '%s has the spaces of French, which keep a sign with its word',
  (file) => {
    const texts = findTexts(readFileSync(join(portal, '..', file), 'utf8'));
    expect(texts.length).toBeGreaterThan(2);
    expect(texts.filter((text) => plainSpace.test(text))).toEqual([]);
  },
);
