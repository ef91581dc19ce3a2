/** The words of API keys in the dashboard. */
import type { Dictionary } from '../language.ts';
import { de } from './de.ts';
import { en, type KeysWords } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

export const keysWords: Dictionary<KeysWords> = { en, de, fr, es };
