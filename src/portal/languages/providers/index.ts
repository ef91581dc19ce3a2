/** Signing in by an identity provider, and accounts there that are linked to one here. */
import type { Dictionary } from '../language.ts';
import { de } from './de.ts';
import { en, type ProvidersWords } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

export const providersWords: Dictionary<ProvidersWords> = { en, de, fr, es };
