/** Deutsch: die Einstellungen eines Kontos. */
import type { SettingsWords } from './en.ts';

export const de = {
  title: 'Einstellungen',
  password: {
    title: 'Passwort',
    text: 'Ein neues meldet alle anderen Browser ab.',
    none: 'Sie haben noch kein Passwort. Mit einem können Sie sich mit Ihrer E-Mail-Adresse anmelden.',
    current: 'Bisheriges Passwort',
    next: 'Neues Passwort',
    help: 'Mindestens 8 Zeichen. Gut sind einige Wörter, die nichts miteinander zu tun haben.',
    action: 'Passwort speichern',
    done: 'Ihr Passwort ist geändert, und alle anderen Browser sind abgemeldet.',
  },
  sessions: {
    title: 'Wo Sie angemeldet sind',
    browser: 'Browser',
    address: 'Adresse',
    begun: 'Seit',
    used: 'Zuletzt benutzt',
    own: 'dieser Browser',
    unknown: 'Unbekannt',
    end: 'Abmelden',
    endOthers: 'Überall sonst abmelden',
    ended: 'Dieser Browser ist abgemeldet.',
    othersEnded: 'Alle anderen Browser sind abgemeldet.',
  },
} satisfies SettingsWords;
