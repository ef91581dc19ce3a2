/** The kinds of events, mails and bookings. */
import type { Dictionary } from '../language.ts';
import { de } from './de.ts';
import { en, type KindsWords } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

export const kindsWords: Dictionary<KindsWords> = { en, de, fr, es };
