/** The words of the administration. */
import type { Dictionary } from '../language.ts';
import { de } from './de.ts';
import { type AdministrationWords, en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

export const administrationWords: Dictionary<AdministrationWords> = { en, de, fr, es };
