/** Deutsch: die Übersicht. */
import type { DashboardWords } from './en.ts';

export const de = {
  title: 'Übersicht',
  balance: {
    title: 'Guthaben',
    exempt: 'Ihre Anfragen werden zu Selbstkosten gezählt und niemandem berechnet.',
    prepaid: 'Im Voraus bezahlt. Was eine Anfrage kostet, wird an ihrem Ende abgezogen.',
    empty: 'Leer: Anfragen an Modelle mit Preis werden mit Status 402 abgewiesen',
    howToAdd: 'Mit diesem Befehl laden Sie auf dem Server Guthaben auf:',
    askToAdd: (email) => ['Bitten Sie den Betreiber dieses Dienstes um Guthaben für ', email],
  },
  start: {
    noModel: 'Sobald es ein Chatmodell gibt, steht hier eine Zeile zum Einfügen.',
    baseUrl: (address) => ['OpenAI-Clients nehmen die Basisadresse ', address],
  },
  requests: {
    title: 'Letzte Anfragen',
    none: 'Noch keine Anfrage',
    noneDetail: 'Anfragen erscheinen hier, sobald sie beendet sind.',
  },
  keys: {
    title: 'API-Schlüssel',
    none: 'Noch kein Schlüssel',
    noneDetail: 'Legen Sie hier einen an; sein Token wird einmal gezeigt.',
    name: 'Name',
    token: 'Token',
    state: 'Zustand',
    lastUsed: 'Zuletzt benutzt',
    active: 'Aktiv',
    activeUntil: (moment) => ['Aktiv, läuft ab ', moment],
    disabled: 'Abgeschaltet',
    expired: 'Abgelaufen',
  },
} satisfies DashboardWords;
