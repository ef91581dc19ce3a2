/** Contacts of an account, and what each is told of. */
import type { Dictionary } from '../language.ts';
import { de } from './de.ts';
import { type ContactsWords, en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

export const contactsWords: Dictionary<ContactsWords> = { en, de, fr, es };
