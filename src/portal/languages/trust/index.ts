/** How the service is guarded, who decides what, and what is certified. */
import type { Dictionary } from '../language.ts';
import { de } from './de.ts';
import { en, type TrustWords } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

export const trustWords: Dictionary<TrustWords> = { en, de, fr, es };
