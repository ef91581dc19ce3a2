/** Markdown as HTML in which nothing of the author's is markup: texts come from files that others may replace. */
import { Marked } from 'marked';

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

/** @returns HTML without scripts, styles, images and attributes but for the addresses of links. */
export const renderMarkdown = (text: string): string => marked.parse(text, { async: false });
