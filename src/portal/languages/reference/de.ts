/** Deutsch: die Beschreibungen der Schnittstellen. */
import type { ReferenceWords } from './en.ts';

export const de = {
  title: 'API-Referenz',
  description:
    'Jede Adresse des Gateways, des Portals und der Konto-API, mit Feldern, Antworten und Fehlern.',
  lead: 'Aus dem Programm gemacht, das antwortet, und auf Englisch. Mit Authorize senden Sie Anfragen mit Ihrem Token; sie sind echt und werden berechnet.',
  names: { gateway: 'Gateway', portal: 'Portal', account: 'Konto-API' },
  file: 'Die Beschreibung als OpenAPI 3.1, für Programme',
  needsScript:
    'Diese Seite zeichnet die Beschreibung mit einem Skript. Ohne Skript öffnen Sie die Datei oben.',
} satisfies ReferenceWords;
