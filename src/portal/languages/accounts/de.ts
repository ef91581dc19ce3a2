/** Deutsch: Konto anlegen und hineinkommen. */
import type { AccountsWords } from './en.ts';

export const de = {
  field: {
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    newPassword: 'Neues Passwort',
    name: 'Ihr Name',
    organisation: 'Name Ihrer Organisation',
  },
  help: {
    password: 'Mindestens 8 Zeichen. Gut sind einige Wörter, die nichts miteinander zu tun haben.',
    name: 'So, wie Ihre Kolleginnen und Kollegen ihn sehen.',
    organisation: 'Für wen Sie dies betreiben. Der Name lässt sich später ändern.',
  },
  login: {
    title: (brand) => `Bei ${brand} anmelden`,
    action: 'Anmelden',
    forgot: 'Passwort vergessen?',
    noAccount: 'Noch kein Konto?',
    create: 'Konto anlegen',
  },
  signup: {
    title: 'Konto anlegen',
    action: 'Konto anlegen',
    hasAccount: 'Sie haben schon ein Konto?',
    signIn: 'Anmelden',
    invited: (place, email) => `Sie sind eingeladen zu ${place}, mit dieser Adresse: ${email}.`,
    terms: (terms, use, privacy) => ['Ich stimme den ', terms, ', der ', use, ' und der ', privacy, ' zu.'],
    termsLink: 'Nutzungsbedingungen',
    useLink: 'Richtlinie zur zulässigen Nutzung',
    privacyLink: 'Datenschutzerklärung',
    joined: (brand) => `Willkommen bei ${brand}.`,
  },
  elsewhere: {
    title: (host) => `Bei ${host} können Sie nicht angemeldet werden`,
    text: (host) =>
      `Bei ${host} werden nur Leute der eigenen Organisation angemeldet und niemand, der die Plattform verwaltet: Wer diese Adresse betreibt, könnte sonst als Sie handeln. Melden Sie sich unter der Hauptadresse an.`,
    action: (address) => `Bei ${address} anmelden`,
  },
  sent: {
    title: 'Sehen Sie in Ihr Postfach',
    verification:
      'Eine E-Mail ist unterwegs zu der Adresse, die Sie angegeben haben. Folgen Sie ihrem Link innerhalb von 24 Stunden, und geben Sie Ihr Passwort noch einmal ein.',
    reset:
      'Wenn es ein Konto mit dieser Adresse gibt, ist eine E-Mail dorthin unterwegs. Ihr Link gilt eine Stunde.',
    late: 'Das kann einige Minuten dauern. Sehen Sie auch im Spam-Ordner nach.',
    back: 'Zur Anmeldung',
  },
  verify: {
    title: 'Bestätigen Sie Ihre E-Mail-Adresse',
    ask: (email) => `Geben Sie das Passwort ein, das Sie beim Anlegen des Kontos von ${email} gewählt haben.`,
    action: 'Bestätigen und anmelden',
    notYours:
      'Sie haben dieses Konto nicht angelegt? Dann tun Sie nichts, und es bleibt geschlossen. Um es selbst zu nutzen, wählen Sie über den Link oben ein neues Passwort.',
    otherSession: (email) =>
      `Sie sind als ${email} angemeldet. Der Link gilt für ein anderes Konto: Melden Sie sich ab, und öffnen Sie ihn noch einmal.`,
    done: 'Ihre E-Mail-Adresse ist bestätigt',
    doneText: (email) => `${email} ist bestätigt. Mehr ist nicht zu tun.`,
    doneMessage: 'Ihre E-Mail-Adresse ist bestätigt.',
    over: 'Dieser Link gilt nicht mehr',
    overText:
      'Ein Link bestätigt eine Adresse innerhalb von 24 Stunden nach der E-Mail. Lassen Sie sich eine neue senden:',
    waiting: 'Ihre E-Mail-Adresse ist noch nicht bestätigt',
    waitingText: (email) =>
      `Ihre API-Schlüssel gelten, sobald sie es ist. Folgen Sie dem Link in der E-Mail, die an ${email} ging.`,
    again: 'E-Mail noch einmal senden',
    sentMessage: 'Wenn die Adresse noch zu bestätigen ist, ist eine weitere E-Mail unterwegs.',
    continue: 'Zur Übersicht',
    signIn: 'Anmelden',
  },
  forgot: {
    title: 'Ein neues Passwort wählen',
    text: 'Geben Sie die Adresse Ihres Kontos an. Dorthin kommt eine E-Mail mit einem Link.',
    action: 'E-Mail senden',
  },
  reset: {
    title: 'Ein neues Passwort wählen',
    text: (email) => `Für ${email}. Alle angemeldeten Browser werden abgemeldet.`,
    action: 'Speichern und anmelden',
    done: 'Ihr Passwort ist geändert, und alle anderen Browser sind abgemeldet.',
    over: 'Dieser Link gilt nicht mehr',
    overText:
      'Ein Link ändert ein Passwort einmal, innerhalb einer Stunde nach der E-Mail. Lassen Sie sich eine neue senden.',
    again: 'Neue E-Mail senden',
  },
  invite: {
    title: (place) => `Sie sind eingeladen zu ${place}`,
    text: (inviter, place) => `${inviter} lädt Sie ein, zu ${place} zu kommen.`,
    role: 'Rolle',
    department: 'Abteilung',
    address: 'Für die Adresse',
    until: 'Gültig bis',
    join: (place) => `${place} beitreten`,
    signIn: 'Anmelden und beitreten',
    create: 'Konto anlegen',
    otherAddress: (email) =>
      `Sie sind als ${email} angemeldet. Die Einladung gilt für die Adresse oben: Melden Sie sich ab, und öffnen Sie sie noch einmal.`,
    signOut: 'Abmelden',
    joined: (place) => `Sie gehören jetzt zu ${place}.`,
    over: 'Diese Einladung gilt nicht mehr',
    overText:
      'Eine Einladung gilt einmal, innerhalb von sieben Tagen. Vielleicht wurde sie benutzt oder zurückgezogen. Bitten Sie um eine neue.',
    platform: 'der Verwaltung dieser Plattform',
  },
  roles: {
    platform_owner: 'Inhaber der Plattform',
    platform_admin: 'Admin der Plattform',
    org_owner: 'Inhaber der Organisation',
    org_admin: 'Admin der Organisation',
    department_admin: 'Admin der Abteilung',
    member: 'Mitglied',
  },
  legal: {
    title: 'Die Bedingungen haben sich geändert',
    first: 'Bevor es weitergeht',
    text: (terms, use, privacy) => [
      'Bitte lesen Sie die ',
      terms,
      ', die ',
      use,
      ' und die ',
      privacy,
      '. Sobald Sie ihnen zugestimmt haben, können Sie Ihr Konto benutzen.',
    ],
    version: (version) => `Fassung vom ${version}`,
    action: 'Zustimmen und weiter',
    done: 'Sie haben den Bedingungen zugestimmt.',
    signOut: 'Stattdessen abmelden',
  },
  welcome: {
    title: 'Willkommen bei Sluice',
    text: (email) =>
      `Diesem Konto, ${email}, gehört hier alles. Geben Sie ihm ein Passwort und Ihrer Organisation einen Namen.`,
    action: 'Speichern und weiter',
    later: 'Später',
    anotherLink:
      'Oder öffnen Sie einen anderen Anmeldelink. Auf der Maschine dieses Dienstes entsteht einer mit:',
    done: 'Von jetzt an können Sie sich mit Ihrem Passwort anmelden.',
  },
} satisfies AccountsWords;
