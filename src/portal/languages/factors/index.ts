/** The words of the second factor and of passkeys. */
import type { Dictionary } from '../language.ts';
import { de } from './de.ts';
import { en, type FactorsWords } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

export const factorsWords: Dictionary<FactorsWords> = { en, de, fr, es };
