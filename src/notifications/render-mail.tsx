/** The one template of all mails: a short list of blocks, written as plain text and as HTML in the look of the portal. */
import { html, raw } from 'hono/html';
import type { Language } from '../base/language.ts';
import type { MailFacts, MailKind, MailNews } from './mail-kinds.ts';
import { type Block, type MailText, type MailTexts, note } from './mail-text.ts';
import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import { es } from './texts/es.ts';
import { fr } from './texts/fr.ts';

const texts: Readonly<Record<Language, MailTexts>> = { en, de, fr, es };

/** In whose name a mail speaks. */
export interface Service {
  readonly name: string;
  /** Where people reach it. */
  readonly url: string;
}

/** A mail that its reader can have stopped. */
export interface Stoppable {
  /** The account whose contact they are. */
  readonly account: string;
  readonly link: string;
  /** Whether nothing more is sent for a while, however much happens. */
  readonly isLastOfDay: boolean;
}

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

interface MailFrame {
  readonly language: Language;
  readonly service: Service;
  readonly stoppable?: Stoppable | null;
}

export async function renderMail(
  news: MailNews,
  { language, service, stoppable = null }: MailFrame,
): Promise<RenderedMail> {
  const words = texts[language];
  const told = tell(news, words, service.name);
  return {
    subject: told.subject,
    text: writeText({ told, words, service, stoppable }),
    html: `${await html`<!doctype html>${<Document {...{ told, words, service, stoppable, language }} />}`}`,
  };
}

/** Its subject and its words in English, for where there is no room for a mail. */
export function tellShortly(news: MailNews, service: Service): string {
  const { subject, blocks } = tell(news, texts.en, service.name);
  return [subject, ...blocks.filter(({ block }) => block !== 'note').map(writeBlock)].join('\n');
}

function tell<Kind extends MailKind>(
  { kind, facts }: { readonly kind: Kind; readonly facts: MailFacts<Kind> },
  { kinds }: MailTexts,
  service: string,
): MailText {
  return kinds[kind](facts, service);
}

function writeText({ told: { subject, blocks }, words, service: { name, url }, stoppable }: Parts): string {
  const end =
    stoppable === null
      ? words.sentBy(name)
      : `${words.subscribed(stoppable.account)}\n${words.unsubscribe}\n${stoppable.link}`;
  const more = stoppable?.isLastOfDay === true ? [words.lastOfDay] : [];
  const parts = [subject, ...blocks.map(writeBlock), ...more, `-- \n${end}\n${url}`];
  return `${parts.join('\n\n')}\n`;
}

function writeBlock(block: Block): string {
  switch (block.block) {
    case 'paragraph':
    case 'note':
      return block.text;
    case 'button':
      return `${block.label}:\n${block.link}`;
    case 'rows':
      return block.rows.map(([label, value]) => `${label}: ${value}`).join('\n');
  }
}

/** Programs that know dark mode take these; the others keep the inline ones, which are light. */
const darkStyle = `
@media (prefers-color-scheme: dark) {
  .canvas { background: #0c1213 !important; }
  .sheet { background: #101718 !important; border-color: #1f2a2c !important; }
  .ink { color: #eaf0f0 !important; }
  .text { color: #c0cccd !important; }
  .quiet { color: #96a5a9 !important; }
  .link { color: #63c3be !important; }
  .button { background: #167b79 !important; color: #ffffff !important; }
}`;

const font = 'font-family:Inter,system-ui,-apple-system,Segoe UI,Roboto,sans-serif';
const small = 'font-size:12px;line-height:18px';
const body = 'font-size:14px;line-height:22px';

/** Between elements that stand below each other, where it changes nothing: lines of mails are short. */
const lineEnd = '\n';

interface Parts {
  readonly told: MailText;
  readonly words: MailTexts;
  readonly service: Service;
  readonly stoppable: Stoppable | null;
}

function Document({ told, words, service, stoppable, language }: Parts & { readonly language: Language }) {
  return (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>{told.subject}</title>
        <style>{raw(darkStyle)}</style>
      </head>
      {lineEnd}
      <body class="canvas" style={`margin:0;padding:24px 12px;background:#f7f9f9;${font}`}>
        <div style="max-width:560px;margin:0 auto">
          <p
            class="ink"
            style="margin:0 0 12px;padding:0 4px;font-size:14px;line-height:20px;font-weight:600;color:#0e1b1f"
          >
            {service.name}
          </p>
          {lineEnd}
          <main
            class="sheet"
            style="background:#ffffff;border:1px solid #e4e9ea;border-radius:10px;padding:28px 28px 12px"
          >
            <h1
              class="ink"
              style="margin:0 0 16px;font-size:20px;line-height:28px;font-weight:600;color:#0e1b1f"
            >
              {told.subject}
            </h1>
            {told.blocks.map((block) => (
              <>
                {lineEnd}
                <BlockView block={block} words={words} />
              </>
            ))}
            {lineEnd}
            {stoppable?.isLastOfDay === true ? (
              <BlockView block={note(words.lastOfDay)} words={words} />
            ) : null}
          </main>
          {lineEnd}
          <p class="quiet" style={`margin:16px 0 0;padding:0 4px;${small};color:#566467`}>
            {stoppable === null ? (
              words.sentBy(service.name)
            ) : (
              <>
                {words.subscribed(stoppable.account)}{' '}
                <a class="link" href={stoppable.link} style="color:#0b5c60">
                  {words.unsubscribe.replace(/\s*:$/, '')}
                </a>
              </>
            )}
            <br />
            <a class="link" href={service.url} style="color:#0b5c60">
              {service.url}
            </a>
          </p>
        </div>
      </body>
    </html>
  );
}

function BlockView({ block, words }: { readonly block: Block; readonly words: MailTexts }) {
  switch (block.block) {
    case 'paragraph':
      return (
        <p class="text" style={`margin:0 0 16px;${body};color:#35434a`}>
          {block.text}
        </p>
      );
    case 'note':
      return (
        <p class="quiet" style={`margin:0 0 16px;${small};color:#566467`}>
          {block.text}
        </p>
      );
    case 'rows':
      return (
        <table style="margin:0 0 16px;border-collapse:collapse">
          {block.rows.map(([label, value]) => (
            <tr>
              {lineEnd}
              <th
                scope="row"
                class="quiet"
                style={`padding:0 16px 4px 0;text-align:left;vertical-align:top;font-weight:400;${body};color:#566467`}
              >
                {label}
              </th>
              <td class="ink" style={`padding:0 0 4px;${body};color:#0e1b1f;word-break:break-word`}>
                {value}
              </td>
            </tr>
          ))}
        </table>
      );
    case 'button':
      return (
        <>
          <p style="margin:0 0 16px">
            <a
              class="button"
              href={block.link}
              style={`display:inline-block;padding:9px 16px;border-radius:6px;background:#0b5c60;color:#ffffff;text-decoration:none;font-weight:600;font-size:14px;line-height:20px`}
            >
              {block.label}
            </a>
          </p>
          {lineEnd}
          <p class="quiet" style={`margin:0 0 16px;${small};color:#566467`}>
            {words.orOpen}
            <br />
            <a class="link" href={block.link} style="color:#0b5c60;word-break:break-all">
              {block.link}
            </a>
          </p>
        </>
      );
  }
}
