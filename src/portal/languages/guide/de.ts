/** Deutsch: die Anleitung. */
import type { Child } from 'hono/jsx';
import type { GuideWords } from './en.ts';

export const de = {
  title: 'Anleitung',
  contents: 'Inhalt',
  noModel: 'Ihnen steht noch kein Chatmodell zur Verfügung: Setzen Sie seinen Namen anstelle von MODEL ein.',
  noKey: 'Sie haben keinen Schlüssel, der jetzt funktioniert.',
  makeKey: 'Einen anlegen',
  ownKey: (name: Child): Child => [
    'Das ist Ihr Schlüssel ',
    name,
    '. Sein ganzes Token wurde einmal gezeigt, als er angelegt wurde.',
  ],
  sections: {
    key: {
      title: 'Ihr Schlüssel',
      text: 'Jede Anfrage trägt ein Token. Bewahren Sie es in einer Umgebungsvariablen auf und nicht in geteiltem Code.',
    },
    first: {
      title: 'Erste Anfrage',
      text: 'Jeder Client von OpenAI funktioniert, wenn er diese Basisadresse und Ihr Token bekommt.',
    },
    protocols: {
      title: 'Protokolle',
      text: 'Dieselben Modelle antworten in vier Protokollen. Anfragen werden umgewandelt, wo der Anbieter eines Modells ein anderes spricht.',
    },
    streaming: {
      title: 'Streaming',
      text: 'Mit stream kommt die Antwort als Server-Sent Events. Die letzten nennen den Verbrauch; eine Antwort, die abbricht, endet mit einem Fehler und sieht nie vollständig aus.',
    },
    tools: {
      title: 'Werkzeuge',
      text: 'Beschreiben Sie Funktionen, führen Sie aus, was das Modell aufruft, und senden Sie das Ergebnis als Nachricht der Rolle tool zurück.',
    },
    errors: {
      title: 'Fehler und neue Versuche',
      text: 'x-should-retry sagt, ob ein neuer Versuch hilft, und retry-after, wann. Ein Anbieter, der scheitert, wird durch den nächsten ersetzt, bevor Sie einen Fehler sehen. Mit Idempotency-Key ist ein neuer Versuch sicher: Er wird nur einmal berechnet.',
    },
    limits: {
      title: 'Grenzen',
      text: 'Für einen Schlüssel und seinen Inhaber können Anfragen je Minute, Token je Minute und gleichzeitige Anfragen begrenzt sein. Antworten sagen in x-ratelimit-Kopfzeilen, was übrig ist, und diese Adresse nennt alles, mit Budget und Guthaben.',
    },
    sessions: {
      title: 'Sitzungen und Schlagwörter',
      text: 'Eine Sitzung hält ein Gespräch beim selben Anbieter, der so seinen Cache nutzt. Schlagwörter und Endnutzer findet man in der Nutzung wieder.',
    },
    budgets: {
      title: 'Budgets',
      text: 'Schlüssel, Personen und Organisationen können Budgets je Tag, Woche, Monat oder insgesamt haben. Was eine Anfrage höchstens kosten kann, wird zuerst reserviert; reicht es nicht, bekommt sie Status 402 mit den Token, die bezahlbar wären.',
    },
    clients: {
      title: 'SDKs und Agenten',
      text: 'Einstellungen für die Clients, die am meisten benutzt werden.',
    },
    production: {
      title: 'Vor dem Betrieb',
      text: 'Was einen Blick wert ist, bevor andere davon abhängen.',
    },
  },
  statuses: {
    400: 'Die Anfrage ist so nicht möglich: Die Meldung sagt, welcher Teil.',
    401: 'Das Token fehlt, ist vertippt, abgeschaltet oder abgelaufen.',
    402: 'Guthaben oder Budget sind aufgebraucht. Versuchen Sie es erst wieder, wenn Geld da ist.',
    403: 'Eine Sperre des Schlüssels verbietet es: Der Satz sagt, welche.',
    404: 'Dieses Modell gibt es nicht, oder nicht für Sie.',
    429: 'Eine Grenze ist erreicht. Warten Sie, wie retry-after es sagt.',
    '502, 503, 504':
      'Alle möglichen Anbieter wurden gefragt und sind gescheitert. Versuchen Sie es nach einer Pause wieder.',
  },
  checklist: [
    'Ein Schlüssel für jeden Dienst, auf die nötigen Modelle begrenzt, mit Budget und Enddatum.',
    'Zeitlimits Ihres Clients, die länger sind als die längste Antwort: Streamen Sie, was lange dauert.',
    'Neue Versuche mit Pause bei 429 und 5xx, keine bei 400, 401, 402 und 403.',
    'Die x-request-id von Fehlern in Ihrem Protokoll: Damit findet man die Anfrage hier.',
    'Ein Guthaben, das reicht, und jemand, der die Mails dazu liest.',
  ],
} satisfies GuideWords;
