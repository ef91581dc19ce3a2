/** Trying a model from its page. */
import type { Dictionary } from '../language.ts';
import { de } from './de.ts';
import { en, type TryWords } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

export const tryWords: Dictionary<TryWords> = { en, de, fr, es };
