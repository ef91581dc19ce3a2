/** The words of the frame and of the components, in every language. */
import type { Dictionary } from '../language.ts';
import { de } from './de.ts';
import { en, type InterfaceWords } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

export type { InterfaceWords } from './en.ts';

export const interfaceWords: Dictionary<InterfaceWords> = { en, de, fr, es };
