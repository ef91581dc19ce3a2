/** The words of the frame and of the components, in every language. */
import type { Dictionary } from '../language.ts';
import { de } from './de.ts';
import { type CommonWords, en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

export type { CommonWords } from './en.ts';

export const commonWords: Dictionary<CommonWords> = { en, de, fr, es };
