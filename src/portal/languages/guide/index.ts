/** The guide of the dashboard. */
import type { Dictionary } from '../language.ts';
import { de } from './de.ts';
import { en, type GuideWords } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

export const guideWords: Dictionary<GuideWords> = { en, de, fr, es };
