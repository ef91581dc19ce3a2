/** What the service does, what it costs, how it is used. */
import type { Dictionary } from '../language.ts';
import { de } from './de.ts';
import { en, type ProductWords } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

export const productWords: Dictionary<ProductWords> = { en, de, fr, es };
