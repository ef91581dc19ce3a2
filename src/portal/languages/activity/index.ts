/** The words of the activity. */
import type { Dictionary } from '../language.ts';
import { de } from './de.ts';
import { type ActivityWords, en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

export const activityWords: Dictionary<ActivityWords> = { en, de, fr, es };
