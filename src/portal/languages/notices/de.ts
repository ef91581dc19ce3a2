/** Deutsch: was geschah, und wie es weitergeht. */
import type { NoticesWords } from './en.ts';

export const de = {
  start: 'Zur Startseite',
  backTo: (page: string) => `Zurück zu „${page}“`,
  signOut: 'Abmelden',
  notFound: {
    title: 'Hier ist keine Seite',
    paragraphs: ['Vielleicht ist die Adresse vertippt, oder die Seite ist umgezogen oder war nie da.'],
  },
  missing: {
    keys: {
      title: 'Diesen Schlüssel gibt es nicht',
      paragraphs: [
        'Vielleicht ist die Adresse vertippt, oder der Schlüssel gehört jemandem, dessen Schlüssel Sie nicht sehen.',
      ],
    },
    requests: {
      title: 'Diese Anfrage gibt es nicht',
      paragraphs: [
        'Vielleicht ist die Adresse vertippt, oder die Anfrage kam von jemandem, dessen Anfragen Sie nicht sehen.',
      ],
    },
  },
  addressRefused: {
    title: 'Diese Adresse verlangt etwas, das die Seite nicht kennt',
    action: 'Die Seite ohne das öffnen',
  },
  databaseIsAway: {
    title: 'Die Datenbank ist nicht zu erreichen',
    paragraphs: [
      'Nichts ist verloren: Was Sie sehen und besitzen, liegt dort. Laden Sie diese Seite in einigen Sekunden neu.',
      'Wenn Sie diesen Server betreiben: Sein Protokoll nennt den Grund, und dies prüft die Verbindung:',
    ],
  },
  somethingFailed: {
    title: 'Diese Seite konnte nicht erstellt werden',
    paragraphs: [
      'Auf unserer Seite ging etwas schief, und das Protokoll des Servers sagt, was. Versuchen Sie es gleich noch einmal.',
    ],
  },
  suspended: {
    title: 'Ihr Konto ist gesperrt',
    paragraphs: [
      'Ihre API-Schlüssel werden solange abgewiesen, und nichts wird gelöscht. Fragen Sie Ihren Admin nach dem Grund.',
    ],
  },
  archived: {
    title: 'Ihr Konto ist geschlossen',
    paragraphs: [
      'Ihre API-Schlüssel sind widerrufen. Fragen Sie Ihren Admin, wenn Sie das Konto wieder brauchen.',
    ],
  },
} satisfies NoticesWords;
