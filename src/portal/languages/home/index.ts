/** The overview: figures, what needs attention, first steps. */
import type { Dictionary } from '../language.ts';
import { de } from './de.ts';
import { en, type HomeWords } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

export const homeWords: Dictionary<HomeWords> = { en, de, fr, es };
