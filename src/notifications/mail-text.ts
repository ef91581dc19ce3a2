/** What a text of a mail is made of, and the words for times that every language needs. */
import type { Language } from '../base/language.ts';
import type { MailFacts, MailKind, OwnMailKind } from './mail-kinds.ts';

export type Block =
  | { readonly block: 'paragraph'; readonly text: string }
  | { readonly block: 'button'; readonly label: string; readonly link: string }
  | { readonly block: 'rows'; readonly rows: readonly (readonly [label: string, value: string])[] }
  /** What matters less than the rest, or only to few. */
  | { readonly block: 'note'; readonly text: string };

export interface MailText {
  /** Also the heading. */
  readonly subject: string;
  readonly blocks: readonly Block[];
}

/** The words of one language. `service` is the name of who sends. */
export interface MailTexts {
  /** Stands before a button's address, for programs in which it cannot be pressed. */
  readonly orOpen: string;
  /** The end of every mail. */
  readonly sentBy: (service: string) => string;
  /** The end of a mail that its reader can have stopped: why they get it, and how it ends. */
  readonly subscribed: (account: string) => string;
  readonly unsubscribe: string;
  /** At the end of the last mail that a contact is sent within a day. */
  readonly lastOfDay: string;
  readonly kinds: {
    readonly [Kind in MailKind]: (facts: MailFacts<Kind>, service: string) => MailText;
  };
}

/** What was done to what signs in to an account. */
export type WaysChanged = Readonly<Record<MailFacts<'sign_in_changed'>['change'], string>>;

/** Of one language, the words for what is told of events, which stand in a file of their own. */
export type EventTexts = Omit<MailTexts['kinds'], OwnMailKind>;

export const paragraph = (text: string): Block => ({ block: 'paragraph', text });
export const button = (label: string, link: string): Block => ({ block: 'button', label, link });
export const rows = (...all: readonly (readonly [label: string, value: string])[]): Block => ({
  block: 'rows',
  rows: all,
});
export const note = (text: string): Block => ({ block: 'note', text });

const hourMs = 3_600_000;

/** Times in words. Nobody knows where a reader is, so that moments are in UTC and say so. */
export function timesIn(language: Language) {
  const moment = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  });
  const amount = (unit: 'hour' | 'day') =>
    new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 0 });
  const hours = amount('hour');
  const dollars = new Intl.NumberFormat(language, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    roundingMode: 'floor',
  });
  const days = amount('day');
  const percents = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 });
  return {
    /** `1 March 2030 at 09:05 UTC`. */
    moment: (ms: number): string => `${moment.format(ms)} UTC`,
    /** `$12.30`, down to the cent. */
    money: (usd: `${number}`): string => dollars.format(usd),
    /** `80%`, with the space before it that a language has, in which no line breaks. */
    percents: (percent: number): string => percents.format(percent / 100),
    /** `1 hour`, `24 hours`, `7 days`. */
    duration: (ms: number): string =>
      ms >= 48 * hourMs ? days.format(ms / (24 * hourMs)) : hours.format(ms / hourMs),
  };
}
