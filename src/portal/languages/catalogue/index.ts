/** The catalogue of models. */
import type { Dictionary } from '../language.ts';
import { de } from './de.ts';
import { type CatalogueWords, en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

export const catalogueWords: Dictionary<CatalogueWords> = { en, de, fr, es };
