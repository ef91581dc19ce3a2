/** The overview of whoever is signed in. */
import type { Dictionary } from '../language.ts';
import { de } from './de.ts';
import { type DashboardWords, en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

export const dashboardWords: Dictionary<DashboardWords> = { en, de, fr, es };
