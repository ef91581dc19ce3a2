/** The request log and the detail of a request. */
import type { Dictionary } from '../language.ts';
import { de } from './de.ts';
import { en, type RequestsWords } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

export const requestsWords: Dictionary<RequestsWords> = { en, de, fr, es };
