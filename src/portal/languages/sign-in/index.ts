/** The sign-in link, and signing out. */
import type { Dictionary } from '../language.ts';
import { de } from './de.ts';
import { en, type SignInWords } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

export const signInWords: Dictionary<SignInWords> = { en, de, fr, es };
