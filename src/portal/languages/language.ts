/** The languages that the portal speaks, which of them a reader gets, and how a dictionary is made. */
import { parseAccept } from 'hono/utils/accept';
import { isLanguage, type Language, languages } from '../../base/language.ts';

export { isLanguage, type Language, languages };

/** What each language calls itself, for whoever looks for their own among others. */
export const languageNames: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
};

/** The words of one area in every language. English is the shape: what the others lack is an error of types. */
export type Dictionary<Words> = Readonly<Record<Language, Words>>;

const longestHeader = 256;

/** The best of the header `Accept-Language` that is spoken here; `de-AT` is served `de`. English where none is. */
export function languageAskedFor(header: string | undefined): Language {
  const wanted = parseAccept((header ?? '').slice(0, longestHeader)).toSorted(
    (one, other) => other.q - one.q,
  );
  const spoken = wanted
    .filter(({ q }) => q > 0)
    .map(({ type }) => type.split('-')[0]?.toLowerCase())
    .find(isLanguage);
  return spoken ?? 'en';
}

type Forms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

/** `1 model`, `1,204 models`: the number in its language, and the word in the form that goes with it. */
export function countIn(language: Language): (count: number, forms: Forms) => string {
  const numbers = new Intl.NumberFormat(language);
  const rules = new Intl.PluralRules(language);
  return (count, forms) => `${numbers.format(count)} ${forms[rules.select(count)] ?? forms.other}`;
}
