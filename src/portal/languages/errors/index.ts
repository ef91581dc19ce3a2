/** What the portal says where it refuses. */
import type { Dictionary } from '../language.ts';
import { de } from './de.ts';
import { type ErrorsWords, en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

export const errorsWords: Dictionary<ErrorsWords> = { en, de, fr, es };
