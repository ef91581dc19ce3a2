/** Deutsch: die Einstellungen eines Kontos. */
import type { SettingsWords } from './en.ts';

export const de = {
  title: 'Einstellungen',
  pages: {
    profile: 'Profil',
    security: 'Anmeldung und Sicherheit',
    notifications: 'Benachrichtigungen',
    data: 'Ihre Daten',
  },
  profile: {
    title: 'Profil',
    name: 'Ihr Name',
    nameHelp: 'Wie Ihre Kolleginnen und Kollegen ihn sehen. Er darf leer bleiben.',
    language: 'Sprache',
    languageHelp: 'Ihrer Seiten und E-Mails.',
    theme: 'Darstellung',
    themeHelp: 'Dieses Browsers.',
    themes: { system: 'Wie das System', light: 'Hell', dark: 'Dunkel' },
    action: 'Profil speichern',
    done: 'Ihr Profil ist gespeichert.',
  },
  email: {
    title: 'E-Mail-Adresse',
    text: (email) =>
      `Sie lautet ${email}. Eine neue Adresse gilt, sobald Sie dem Link gefolgt sind, der dorthin gesendet wird; bis dahin ändert sich nichts.`,
    managed: (email) =>
      `Sie lautet ${email}. Dieses Konto steht in der Konfigurationsdatei des Servers; nur der Betreiber dieses Dienstes kann die Adresse ändern.`,
    next: 'Neue E-Mail-Adresse',
    action: 'Link senden',
    asked: (email) =>
      `Eine E-Mail ist unterwegs an ${email}. Ihre Adresse ändert sich, sobald Sie ihrem Link folgen.`,
    done: (email) => `Ihre Adresse ist ab jetzt ${email}.`,
    confirm: 'E-Mail-Adresse ändern',
    confirmText: (before, after) =>
      `Ihr Konto hat die Adresse ${before}. Soll sie ab jetzt ${after} lauten? Sie melden sich dann mit ihr an, und E-Mails gehen dorthin.`,
    confirmAction: 'Adresse ändern',
    over: 'Dieser Link gilt nicht mehr',
    overText: (email) =>
      `Ein Link zu einer anderen Adresse gilt einmal, innerhalb von 24 Stunden und in dem Konto, das ihn angefordert hat. Sie sind als ${email} angemeldet.`,
    back: 'Zu den Einstellungen',
  },
  proof: {
    password: 'Ihr Passwort',
    passwordHelp: 'Oder, ohne es:',
    signIn: 'Neu anmelden',
    signInText:
      'Das geht nicht durch einen offenen Browser allein. Melden Sie sich noch einmal an und kommen Sie wieder; dann haben Sie zehn Minuten.',
  },
  dataExport: {
    title: 'Ihre Daten',
    text: 'Ein ZIP mit allem, was dieses Konto hat: Profil, API-Schlüssel ohne ihre Geheimnisse, Anfragen und ihre Kosten, der Kontoauszug des Guthabens, Sitzungen, Aktivität, angenommene Bedingungen und verknüpfte Konten. Es entsteht im Hintergrund und wird einen Tag aufbewahrt, nur für Sie.',
    action: 'Datei erstellen',
    again: 'Noch einmal erstellen',
    asked: 'Die Datei wird erstellt. Sie können diese Seite verlassen und wiederkommen.',
    waiting: (requests) =>
      `Die Datei wird erstellt: bisher ${requests} Anfragen. Sie können diese Seite verlassen und wiederkommen.`,
    download: (megabytes) => `Herunterladen (${megabytes} MB)`,
    until: 'Sie wird entfernt',
    failed:
      'Die Datei konnte nicht erstellt werden. Versuchen Sie es noch einmal, oder sagen Sie es dem Betreiber dieses Dienstes.',
  },
  deletion: {
    title: 'Konto löschen',
    text: 'Ihr Name und Ihre Adresse, Ihre API-Schlüssel, Anmeldewege, Sitzungen und Einladungen sind sofort und für immer weg. Was bezahlt und berechnet wurde, bleibt in den Büchern, unter einem Namen, der niemanden bezeichnet.',
    left: (sum) =>
      `In Ihrem Guthaben sind noch ${sum}, die dann niemand mehr verwenden kann. Verbrauchen Sie sie vorher, oder bitten Sie den Betreiber dieses Dienstes um die Auszahlung.`,
    email: (email) => `Zur Bestätigung ${email} eingeben`,
    action: 'Konto endgültig löschen',
    done: 'Ihr Konto ist gelöscht.',
    obstacles: {
      last_owner: 'Diese Plattform gehört sonst niemandem mehr. Geben Sie zuerst jemand anderem die Rolle.',
      pays_for_others:
        'Ihr Guthaben bezahlt für andere in Ihrer Organisation. Bitten Sie zuerst einen Admin, eine andere Person zu benennen, die bezahlt.',
      declared:
        'Dieses Konto steht in der Konfigurationsdatei des Servers. Bitten Sie den Betreiber dieses Dienstes, es zuerst dort zu entfernen.',
    },
  },
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
    ended: 'Der andere Browser ist abgemeldet.',
    othersEnded: 'Alle anderen Browser sind abgemeldet.',
  },
} satisfies SettingsWords;
