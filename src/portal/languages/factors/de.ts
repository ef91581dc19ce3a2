/** Der zweite Faktor und Passkeys: bei der Anmeldung und in den Einstellungen. */
import type { FactorsWords } from './en.ts';

export const de = {
  step: {
    title: 'Geben Sie Ihren Code ein',
    text: 'Ihre Authentifizierungs-App zeigt sechs Ziffern. Wenn Sie sie nicht zur Hand haben, geben Sie einen Ihrer Wiederherstellungscodes ein.',
    code: 'Code',
    action: 'Weiter',
    back: 'Als jemand anderes anmelden',
  },
  enter: {
    action: 'Mit einem Passkey anmelden',
    failed:
      'Der Passkey wurde nicht angenommen. Versuchen Sie es noch einmal, oder melden Sie sich mit Ihrem Passwort an.',
  },
  codes: {
    title: 'Anmeldung in zwei Schritten',
    off: 'Nach Ihrem Passwort wird nach einem Code einer App auf Ihrem Telefon gefragt, sodass das Passwort allein nichts wert ist.',
    on: 'Nach Ihrem Passwort wird nach einem Code Ihrer App gefragt.',
    left: (count) => `${count} übrig.`,
    leftForms: { one: 'Wiederherstellungscode', other: 'Wiederherstellungscodes' },
    begin: 'Einrichten',
    code: 'Code der App oder ein Wiederherstellungscode',
    renew: 'Neue Wiederherstellungscodes',
    remove: 'Ausschalten',
    removed: 'Sie melden sich von jetzt an allein mit Ihrem Passwort an.',
  },
  setUp: {
    title: 'Anmeldung in zwei Schritten einrichten',
    scan: 'Scannen Sie dies mit einer Authentifizierungs-App, und geben Sie dann den Code ein, den sie zeigt.',
    picture: 'Das Bild zum Scannen',
    secret: 'Oder geben Sie diesen Schlüssel von Hand ein:',
    code: 'Code der App',
    action: 'Einschalten',
  },
  recovery: {
    title: 'Ihre Wiederherstellungscodes',
    text: 'Bewahren Sie sie dort auf, wo Sie sie auch ohne Ihr Telefon finden. Jeder gilt einmal, und sie werden nur jetzt gezeigt.',
    action: 'Ich habe sie aufbewahrt',
  },
  passkeys: {
    title: 'Passkeys',
    text: 'Mit einem Passkey melden Sie sich mit Fingerabdruck, Gesicht oder dem Code Ihres Geräts an, ohne Passwort.',
    script: 'Das Hinzufügen braucht ein Skript, das Ihr Browser hier nicht ausführt.',
    name: 'Name',
    unnamed: 'Passkey',
    added: 'Hinzugefügt',
    used: 'Zuletzt benutzt',
    never: 'nie',
    add: 'Passkey hinzufügen',
    remove: 'Entfernen',
    removed: 'Der Passkey ist entfernt.',
    isAdded: 'Der Passkey ist hinzugefügt. Sie können sich von jetzt an damit anmelden.',
    failed:
      'Es wurde kein Passkey hinzugefügt. Versuchen Sie es noch einmal, oder nehmen Sie ein anderes Gerät.',
  },
} satisfies FactorsWords;
