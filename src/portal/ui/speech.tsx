/** How components come by the reader's language: the document provides it, and any component asks. */
import { createContext, useContext } from 'hono/jsx';
import { type InterfaceWords, interfaceWords } from '../languages/interface/index.ts';
import type { Dictionary, Language } from '../languages/language.ts';
import { type Figures, figuresIn } from './figures.ts';

export interface Speech {
  readonly language: Language;
  readonly common: InterfaceWords;
  readonly figures: Figures;
}

export const speechIn = (language: Language): Speech => ({
  language,
  common: interfaceWords[language],
  figures: figuresIn(language),
});

export const SpeechContext = createContext(speechIn('en'));

/** Within a component: the language, the common words, and figures written in it. */
export const useSpeech = (): Speech => useContext(SpeechContext);

/** Within a component: the words of an area. */
export const useWords = <Words,>(dictionary: Dictionary<Words>): Words => dictionary[useSpeech().language];

/** How long ago, with the exact moment on hover. */
export function Moment({ at, nowMs }: { readonly at: Date; readonly nowMs: number }) {
  const { figures } = useSpeech();
  return (
    <time datetime={at.toISOString()} title={figures.moment(at)}>
      {figures.distance(at.getTime() - nowMs)}
    </time>
  );
}
