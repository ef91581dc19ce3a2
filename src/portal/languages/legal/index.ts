/** The frame around the legal texts. */
import type { Dictionary } from '../language.ts';
import { de } from './de.ts';
import { en, type LegalWords } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

export const legalWords: Dictionary<LegalWords> = { en, de, fr, es };
