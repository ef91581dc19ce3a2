/** The languages that people are spoken to in: pages and mails have all their words in each of them. */

export const languages = ['en', 'de', 'fr', 'es'] as const;
export type Language = (typeof languages)[number];

export const isLanguage = (text: string | null | undefined): text is Language =>
  languages.some((language) => language === text);
