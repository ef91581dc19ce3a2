/** The legal texts: files that ship with the program as templates, and those of a folder of the operator's, which replace them. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Marked } from 'marked';
import { parse } from 'yaml';
import { z } from 'zod';
import { AppError } from '../../base/errors.ts';
import { type Language, languages } from '../languages/language.ts';

/** A file each, and the last part of its address. */
export const legalNames = [
  ...(['terms', 'aup', 'privacy', 'cookies', 'dpa', 'refund', 'billing', 'security'] as const),
] as const;
export type LegalName = (typeof legalNames)[number];

/** People accept these three before they go on. */
const acceptedNames: readonly LegalName[] = ['terms', 'aup', 'privacy'];

export interface LegalText {
  readonly title: string;
  readonly version: string;
  /** The day on which it began to hold, as `2026-11-22`. */
  readonly date: string;
  readonly language: Language;
  /** It shipped with the program and nobody has put their own in its place. */
  readonly isTemplate: boolean;
  readonly html: string;
}

export interface LegalTexts {
  /** What people have to have accepted: the day on which the newest of those texts began to hold. */
  readonly version: string;
  /** In the reader's language where there is one. */
  find(name: LegalName, language: Language): LegalText;
}

const mostFileBytes = 262_144;
const headSchema = z.strictObject({
  title: z.string().min(1).max(200),
  version: z.coerce.string().min(1).max(50),
  date: z.iso.date(),
});

/**
 * Reads all of them once. A text is `terms.md`, and in another language `terms.de.md`; both begin with a head of
 * `title`, `version` and `date` between two lines of `---`.
 * @param folder the operator's; what is not in it is the template.
 * @throws AppError `validation_failed` for a file that cannot be read or whose head is wrong.
 */
export function openLegalTexts(folder: string | null): LegalTexts {
  if (folder !== null && !isFolder(folder)) throw refused(folder, 'there is no such folder');
  const texts = new Map(legalNames.map((name) => [name, readAll(name, folder)]));
  const main = (name: LegalName): LegalText => {
    const text = texts.get(name)?.get('en');
    if (text === undefined) throw new Error(`the program lacks its text ${name}`);
    return text;
  };
  const dates = acceptedNames.map((name) => main(name).date);
  return {
    version: dates.toSorted().at(-1) ?? '',
    find: (name, language) => texts.get(name)?.get(language) ?? main(name),
  };
}

/** Translations are of their own folder alone: the template's would not say what the operator's text says. */
function readAll(name: LegalName, folder: string | null): ReadonlyMap<Language, LegalText> {
  const isOwn = folder !== null && existsSync(join(folder, `${name}.md`));
  const from = isOwn ? folder : join(import.meta.dirname, 'templates');
  const found = new Map<Language, LegalText>();
  for (const language of languages) {
    const file = join(from, language === 'en' ? `${name}.md` : `${name}.${language}.md`);
    if (language === 'en' || existsSync(file)) found.set(language, readText(file, language, !isOwn));
  }
  return found;
}

function readText(file: string, language: Language, isTemplate: boolean): LegalText {
  const [, head = '', body] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n([\s\S]*)$/.exec(readFile(file)) ?? [];
  if (body === undefined) throw refused(file, 'it has to begin with a head between two lines of ---');
  const read = headSchema.safeParse(readYaml(file, head));
  if (read.success) return { ...read.data, language, isTemplate, html: renderMarkdown(body) };
  const [issue] = read.error.issues;
  const place = issue?.path.map((step) => `, ${String(step)}`).join('') ?? '';
  throw refused(file, `the head${place}: ${issue?.message ?? 'is wrong'}`);
}

function readFile(file: string): string {
  try {
    if (statSync(file).size <= mostFileBytes) return readFileSync(file, 'utf8');
  } catch {
    throw refused(file, 'it cannot be read');
  }
  throw refused(file, `it is larger than ${mostFileBytes} bytes`);
}

function readYaml(file: string, head: string): unknown {
  try {
    return parse(head);
  } catch {
    throw refused(file, 'the head is no YAML');
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

const refused = (path: string, why: string): AppError =>
  new AppError({ code: 'validation_failed', public: `SLUICE_LEGAL_DIR: ${path}: ${why}.` });

/** Nothing of an author's is markup, since others may replace the files. */
const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (mark) => escapes[mark] ?? mark);

/** Within this site, to another over http, to a mailbox; anything else, such as a script, is no link. */
const isHarmless = (href: string): boolean => /^(https?:\/\/|mailto:|\/(?![/\\])|#)/i.test(href);

const marked = new Marked({
  renderer: {
    html: ({ text }) => escapeHtml(text),
    image: ({ text }) => escapeHtml(text),
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      return isHarmless(href) ? `<a href="${escapeHtml(href)}">${text}</a>` : text;
    },
    table({ header, rows }) {
      const row = (cells: typeof header, name: 'th' | 'td') =>
        `<tr>${cells.map(({ tokens }) => `<${name}>${this.parser.parseInline(tokens)}</${name}>`).join('')}</tr>`;
      const body = rows.map((cells) => row(cells, 'td')).join('');
      return `<div class="table-box"><table class="table"><thead>${row(header, 'th')}</thead><tbody>${body}</tbody></table></div>`;
    },
  },
});

/** @returns HTML without scripts, styles, images and attributes but for the addresses of links. @internal */
export const renderMarkdown = (text: string): string => marked.parse(text, { async: false });
