/** The frame around the legal texts. */
import type { Child } from 'hono/jsx';

export const en = {
  all: 'Legal texts',
  description: (title: string, brand: string) => `${title} of ${brand}, with version and date.`,
  version: (version: string, day: string) => `Version ${version}, in force since ${day}`,
  template: 'A template',
  templateDetail: (variable: Child): Child => [
    'This text ships with the software. Whoever runs this service replaces it with their own, by a folder that ',
    variable,
    ' names.',
  ],
  otherLanguage: 'There is no translation of this text: it is shown in English.',
  names: {
    terms: 'Terms of service',
    aup: 'Acceptable use',
    privacy: 'Privacy',
    cookies: 'Cookies',
    dpa: 'Data processing',
    refund: 'Refunds',
    billing: 'Billing',
    security: 'Security',
  },
};

export type LegalWords = typeof en;
