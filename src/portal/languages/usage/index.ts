/** The usage page. */
import type { Dictionary } from '../language.ts';
import { de } from './de.ts';
import { en, type UsageWords } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

export const usageWords: Dictionary<UsageWords> = { en, de, fr, es };
