/** Deutsch. */
import { button, type MailTexts, note, paragraph, rows, timesIn, type WaysChanged } from '../mail-text.ts';
import { deEvents } from './events/de.ts';

const { moment, duration } = timesIn('de');

const waysChanged: WaysChanged = {
  passkey_added: 'Passkey hinzugefügt',
  passkey_removed: 'Passkey entfernt',
  provider_linked: 'Konto bei einem Anbieter verknüpft',
  provider_unlinked: 'Konto bei einem Anbieter getrennt',
  two_step_on: 'Anmeldung in zwei Schritten eingeschaltet',
  two_step_off: 'Anmeldung in zwei Schritten ausgeschaltet',
  recovery_codes_renewed: 'Neue Wiederherstellungscodes',
};

export const de: MailTexts = {
  orOpen: 'Oder öffnen Sie diese Adresse:',
  sentBy: (service) => `Von ${service} gesendet, weil mit dieser Adresse etwas geschehen ist.`,
  subscribed: (account) => `Sie bekommen das, weil diese Adresse ein Kontakt des Kontos ${account} ist.`,
  unsubscribe: 'Mails dieser Art abbestellen:',
  lastOfDay:
    'An diese Adresse gingen heute so viele Mails, wie ein Kontakt bekommt. Was in den nächsten Stunden noch geschieht, wird ihr nicht geschickt und steht im Konto.',
  kinds: {
    ...deEvents,
    verify_address: ({ link, lifetimeMs }, service) => ({
      subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
      blocks: [
        paragraph(
          `Jemand, wahrscheinlich Sie, hat bei ${service} ein Konto mit dieser Adresse angelegt. Es ist nutzbar, sobald die Adresse bestätigt ist.`,
        ),
        button('Adresse bestätigen', link),
        note(
          `Der Link gilt einmal und ${duration(lifetimeMs)} lang. Wenn Sie das nicht waren, tun Sie nichts: Ohne Bestätigung bleibt das Konto gesperrt.`,
        ),
      ],
    }),
    address_taken: ({ signInLink, resetLink }, service) => ({
      subject: 'Sie haben schon ein Konto',
      blocks: [
        paragraph(
          `Jemand, wahrscheinlich Sie, wollte bei ${service} mit dieser Adresse ein Konto anlegen. Es gibt schon eines, und nichts wurde geändert.`,
        ),
        button('Anmelden', signInLink),
        rows(['Passwort vergessen?', resetLink]),
        note('Wenn Sie das nicht waren, ist nichts zu tun.'),
      ],
    }),
    reset_password: ({ link, lifetimeMs }, service) => ({
      subject: 'Wählen Sie ein neues Passwort',
      blocks: [
        paragraph(`Für das Konto mit dieser Adresse bei ${service} wurde ein neues Passwort angefordert.`),
        button('Neues Passwort wählen', link),
        note(
          `Der Link gilt einmal und ${duration(lifetimeMs)} lang. Wenn Sie das nicht waren, tun Sie nichts: Ihr Passwort bleibt, wie es ist.`,
        ),
      ],
    }),
    password_changed: ({ atMs, resetLink, passkeys, providers, waysLink }, service) => ({
      subject: 'Ihr Passwort wurde geändert',
      blocks: [
        paragraph(
          `Das Passwort Ihres Kontos bei ${service} wurde geändert: ${moment(atMs)}. Alle anderen Sitzungen wurden abgemeldet.`,
        ),
        paragraph('Wenn Sie das waren, ist nichts zu tun. Wenn nicht, wählen Sie sofort ein neues Passwort:'),
        button('Neues Passwort wählen', resetLink),
        ...(waysLink === null || passkeys + providers === 0
          ? []
          : [
              paragraph(
                'Die anderen Anmeldewege Ihres Kontos sind geblieben. Entfernen Sie, was Sie nicht kennen:',
              ),
              rows(['Passkeys', String(passkeys)], ['Konten bei Anbietern', String(providers)]),
              button('Anmeldewege ansehen', waysLink),
            ]),
      ],
    }),
    invitation: ({ link, lifetimeMs, inviter, organisation }, service) => ({
      subject: `${inviter} lädt Sie zu ${organisation} ein`,
      blocks: [
        paragraph(`${inviter} möchte Sie bei ${service} in ${organisation} aufnehmen.`),
        button('Einladung ansehen', link),
        note(
          `Der Link gilt einmal und ${duration(lifetimeMs)} lang. Wenn Ihnen das nichts sagt, tun Sie nichts.`,
        ),
      ],
    }),
    new_sign_in: ({ atMs, device, address, sessionsLink }, service) => ({
      subject: `Neue Anmeldung bei ${service}`,
      blocks: [
        paragraph('Bei Ihrem Konto hat sich ein Browser angemeldet, den wir noch nicht kennen.'),
        rows(['Zeit', moment(atMs)], ['Browser', device], ['Netzwerkadresse', address]),
        paragraph(
          'Wenn Sie das waren, ist nichts zu tun. Wenn nicht, melden Sie diese Sitzung ab und ändern Sie Ihr Passwort:',
        ),
        button('Sitzungen ansehen', sessionsLink),
      ],
    }),
    codes_guessed: ({ atMs, address, resetLink }, service) => ({
      subject: `Falsche Anmeldecodes bei ${service}`,
      blocks: [
        paragraph(
          'Jemand ist bei der Anmeldung an Ihrem Konto über den ersten Schritt hinausgekommen, kennt also meist Ihr Passwort, und hat dann fünf falsche Codes eingegeben. Hineingekommen ist niemand.',
        ),
        rows(['Zeit', moment(atMs)], ['Netzwerkadresse', address]),
        paragraph('Wenn Sie das waren, ist nichts zu tun. Wenn nicht, wählen Sie sofort ein neues Passwort:'),
        button('Neues Passwort wählen', resetLink),
        note('Solange es weitergeht, erfahren Sie davon einmal am Tag.'),
      ],
    }),
    sign_in_changed: ({ change, atMs, what, waysLink }, service) => ({
      subject: `Ein Anmeldeweg Ihres Kontos bei ${service} wurde geändert`,
      blocks: [
        paragraph('Ein Weg, sich bei Ihrem Konto anzumelden, wurde hinzugefügt, erneuert oder entfernt.'),
        rows(
          ['Zeit', moment(atMs)],
          ['Änderung', waysChanged[change]],
          ...(what === '' ? [] : [['Name', what] as const]),
        ),
        paragraph(
          'Wenn Sie das waren, ist nichts zu tun. Wenn nicht, entfernen Sie, was Sie nicht kennen, und wählen Sie ein neues Passwort:',
        ),
        button('Anmeldewege ansehen', waysLink),
      ],
    }),
    change_address: ({ link, lifetimeMs }, service) => ({
      subject: 'Bestätigen Sie Ihre neue E-Mail-Adresse',
      blocks: [
        paragraph(
          `Jemand, vermutlich Sie, möchte diese Adresse für das eigene Konto bei ${service} verwenden.`,
        ),
        button('Änderung ansehen', link),
        note(
          `Der Link gilt einmal, innerhalb von ${duration(lifetimeMs)}, wo Sie angemeldet sind. Wenn Sie es nicht waren, tun Sie nichts: Es ändert sich nichts.`,
        ),
      ],
    }),
    account_deleted: ({ atMs }, service) => ({
      subject: 'Ihr Konto wurde gelöscht',
      blocks: [
        paragraph(
          `Ihr Konto bei ${service} wurde am ${moment(atMs)} gelöscht. Ihre API-Schlüssel gelten nicht mehr.`,
        ),
        paragraph(
          'Was Sie bezahlt haben und was Ihnen berechnet wurde, bleibt in den Büchern, ohne Ihren Namen und Ihre Adresse. Dies ist die letzte E-Mail dieses Kontos.',
        ),
        note('Wenn Sie das nicht waren, sagen Sie es sofort dem Betreiber dieses Dienstes.'),
      ],
    }),
    address_changed: ({ atMs, newAddress }, service) => ({
      subject: 'Die E-Mail-Adresse Ihres Kontos wurde geändert',
      blocks: [
        paragraph(`Ihr Konto bei ${service} gehört nicht mehr zu dieser Adresse.`),
        rows(['Zeit', moment(atMs)], ['Neue Adresse', newAddress]),
        paragraph(
          'Wenn Sie das waren, ist nichts zu tun. Wenn nicht, sagen Sie es sofort der Verwaltung Ihrer Organisation.',
        ),
      ],
    }),
  },
};
