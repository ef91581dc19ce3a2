/** The words of the settings of an account. */
import type { Dictionary } from '../language.ts';
import { de } from './de.ts';
import { en, type SettingsWords } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

export const settingsWords: Dictionary<SettingsWords> = { en, de, fr, es };
