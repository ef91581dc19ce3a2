/** Why requests failed. */
import type { Dictionary } from '../language.ts';
import { de } from './de.ts';
import { en, type FailuresWords } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

export const failuresWords: Dictionary<FailuresWords> = { en, de, fr, es };
