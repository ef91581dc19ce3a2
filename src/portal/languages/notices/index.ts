/** What pages say that only tell what happened. */
import type { Dictionary } from '../language.ts';
import { de } from './de.ts';
import { en, type NoticesWords } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

export const noticesWords: Dictionary<NoticesWords> = { en, de, fr, es };
