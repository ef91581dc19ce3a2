/** The words of having mails stopped by their link, and of webhooks. */
import type { Dictionary } from '../language.ts';
import { de } from './de.ts';
import { en, type WebhooksWords } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

export const webhooksWords: Dictionary<WebhooksWords> = { en, de, fr, es };
