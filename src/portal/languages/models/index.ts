/** The models of the dashboard: the list, a model, and asking one. */
import type { Dictionary } from '../language.ts';
import { de } from './de.ts';
import { en, type ModelsWords } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

export const modelsWords: Dictionary<ModelsWords> = { en, de, fr, es };
