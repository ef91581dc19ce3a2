/** The descriptions of the APIs. */
import type { Dictionary } from '../language.ts';
import { de } from './de.ts';
import { en, type ReferenceWords } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

export type { ReferenceWords };
export const referenceWords: Dictionary<ReferenceWords> = { en, de, fr, es };
