/** Deutsch: der Anmeldelink und das Abmelden. */
import type { SignInWords } from './en.ts';

export const de = {
  link: {
    title: (brand) => `Bei ${brand} anmelden`,
    paragraphs: (email) => [
      `In diesem Browser sind Sie dann ${email}.`,
      'Der Link gilt einmal. Wenn er nicht für Sie bestimmt war, schließen Sie diese Seite.',
    ],
    action: 'Anmelden',
  },
  refused: {
    title: 'Dieser Anmeldelink gilt nicht mehr',
    paragraphs: [
      'Ein Link meldet einmal an, innerhalb einer Stunde. Dieser wurde benutzt, ist zu alt oder wurde nicht ganz kopiert. Wenn dieser Browser ihn benutzt hat, sind Sie angemeldet.',
      'Bitten Sie den Betreiber dieses Dienstes um einen neuen. Wenn Sie das sind, erstellen Sie ihn mit:',
    ],
    action: 'Zur Übersicht',
  },
  out: {
    title: 'Abmelden?',
    paragraphs: [
      'Sie kamen von einer anderen Website. Noch hat sich nichts geändert: Melden Sie sich ab, oder schließen Sie diese Seite, um zu bleiben.',
    ],
    action: 'Abmelden',
  },
} satisfies SignInWords;
