/** The start page. */
import type { Dictionary } from '../language.ts';
import { de } from './de.ts';
import { en, type LandingWords } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

export const landingWords: Dictionary<LandingWords> = { en, de, fr, es };
