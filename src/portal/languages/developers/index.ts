/** First requests. */
import type { Dictionary } from '../language.ts';
import { de } from './de.ts';
import { type DevelopersWords, en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

export const developersWords: Dictionary<DevelopersWords> = { en, de, fr, es };
