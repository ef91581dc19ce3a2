/** The words of making an account and getting into it. */
import type { Dictionary } from '../language.ts';
import { de } from './de.ts';
import { type AccountsWords, en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

export const accountsWords: Dictionary<AccountsWords> = { en, de, fr, es };
