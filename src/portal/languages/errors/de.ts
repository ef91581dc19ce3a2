/** Warum etwas nicht getan wurde, und was zu tun ist. */
import type { ErrorsWords } from './en.ts';

export const de: ErrorsWords = {
  tooManyAttempts: (seconds) =>
    `Es gab zu viele Versuche. Versuchen Sie es in ${seconds} ${seconds === 1 ? 'Sekunde' : 'Sekunden'} noch einmal.`,
  sentences: {
    not_signed_in: 'Melden Sie sich zuerst an.',
    not_allowed: 'Ihre Rolle erlaubt das nicht. Fragen Sie einen Admin Ihrer Organisation.',
    cross_site:
      'Das kam von einer anderen Website, deshalb ist nichts geschehen. Tun Sie es auf einer Seite dieser Website.',
    sign_in_elsewhere:
      'Wer eine Adresse dieser E-Mail-Domain hat, meldet sich nur beim Anbieter der eigenen Organisation an. Nehmen Sie dessen Knopf auf der Anmeldeseite.',
    proof_needed:
      'Zeigen Sie noch einmal, wer Sie sind: Geben Sie Ihr Passwort an, oder melden Sie sich neu an.',
    email_unverified:
      'Ihre E-Mail-Adresse ist noch nicht bestätigt. Folgen Sie zuerst dem Link in der E-Mail.',
    account_suspended: 'Ihr Konto ist gesperrt. Fragen Sie Ihren Admin nach dem Grund.',
    account_archived: 'Ihr Konto ist geschlossen. Fragen Sie Ihren Admin, wenn Sie es wieder brauchen.',
    wrong_credentials: 'Die E-Mail-Adresse oder das Passwort ist falsch.',
    wrong_code: 'Dieser Code ist falsch oder wurde schon benutzt.',
    first_step_over:
      'Es hat zu lange gedauert, oder es waren zu viele falsche Codes. Melden Sie sich noch einmal an.',
    terms_not_accepted: 'Die Bedingungen haben sich geändert. Stimmen Sie ihnen zuerst zu.',
    link_over: 'Dieser Link gilt nicht mehr. Lassen Sie sich eine neue E-Mail senden.',
    conflict: 'Das hat sich inzwischen geändert. Laden Sie die Seite neu.',
    validation_failed:
      'Eine Angabe kann so nicht verwendet werden. Was nicht stimmt, steht neben dem jeweiligen Feld.',
    body_too_large: 'Das war mehr, als hier angenommen wird. Senden Sie weniger.',
    request_timeout: 'Ihre Angaben kamen zu langsam an. Versuchen Sie es noch einmal.',
    not_found: 'Das, worum es ging, gibt es nicht mehr.',
    method_not_allowed: 'Diese Adresse nimmt nicht an, was ihr geschickt wurde.',
    malformed_request: 'Ihre Angaben brachen unterwegs ab. Versuchen Sie es noch einmal.',
    malformed_json: 'Der Inhalt ist kein gültiges JSON.',
    server_busy: 'Der Server ist ausgelastet. Versuchen Sie es gleich noch einmal.',
    database_unavailable:
      'Die Datenbank ist nicht erreichbar. Es ist nichts verloren; versuchen Sie es in einigen Sekunden noch einmal.',
    internal_error: 'Bei uns ist etwas schiefgegangen. Versuchen Sie es gleich noch einmal.',
  },
  reasons: {
    overtaken:
      'Jemand anderes hat das inzwischen geändert. Neben Ihren Angaben steht, was jetzt gilt; speichern Sie noch einmal, um Ihre zu behalten.',
    changed_meanwhile:
      'Was Ihr Konto darf, wurde während des Sendens geändert. Versuchen Sie es noch einmal.',
    only_way_in: 'Nur so können Sie sich anmelden. Legen Sie zuerst ein Passwort fest.',
    twice_at_once: 'Das ist zweimal zugleich geschehen. Versuchen Sie es noch einmal.',
    linked_elsewhere:
      'Dieses Konto des Anbieters ist hier mit einem anderen Konto verknüpft, oder Ihres ist es schon mit einem anderen.',
    declared_account:
      'Dieses Konto steht in der Konfigurationsdatei des Servers. Dort wird auch seine Adresse geändert.',
    token_of_other:
      'Ein neues Token dieses Schlüssels bekommt nur, wem er gehört, oder wer dieses Konto verwaltet.',
    rotated_before: 'Das vorige Token gilt noch. Beenden Sie es zuerst.',
    no_earlier_token: 'Kein früheres Token dieses Schlüssels gilt noch.',
    higher_role: 'Schlüssel von Personen mit höherer Rolle können nur diese selbst ändern.',
    account_of_other:
      'Ein Schlüssel mit Zugang zum Konto öffnet das Konto, zu dem er gehört; nur diese Person kann einen haben.',
    declared_key:
      'Dieser Schlüssel ist in der Konfigurationsdatei des Servers festgelegt. Ändern Sie ihn dort.',
    first_key:
      'Dieser Schlüssel folgt aus dem Geheimnis des Dienstes. Legen Sie einen anderen an, und widerrufen Sie diesen.',
    revoked_key: 'Dieser Schlüssel ist widerrufen, und das ist endgültig.',
    codes_on: 'Codes werden bereits abgefragt. Schalten Sie das zuerst aus.',
    codes_not_begun: 'Es gibt nichts zu bestätigen. Beginnen Sie noch einmal.',
    many_passkeys: 'Sie haben schon so viele Passkeys wie möglich. Entfernen Sie zuerst einen.',
    known_passkey: 'Dieser Passkey ist schon bekannt.',
    passkey_late: 'Es hat zu lange gedauert. Beginnen Sie noch einmal.',
    under_way: 'Das ist schon unterwegs.',
    many_webhooks: 'Es gibt schon so viele Webhooks wie möglich. Löschen Sie zuerst einen.',
    main_contact: 'Der Hauptkontakt bleibt, solange es das Konto gibt.',
    many_contacts: 'Dieses Konto hat schon so viele Kontakte wie möglich. Entfernen Sie zuerst einen.',
    has_password: 'Dieses Konto hat schon ein Passwort. Ändern Sie es in seinen Einstellungen.',
    other_signed_in: 'Jemand anderes ist angemeldet. Melden Sie sich zuerst ab.',
    link_at_main: 'Das wird an der Hauptadresse des Dienstes verknüpft.',
  },
  fields: {
    kind_of_tokens: 'Nach Art lassen sich nur Token aufschlüsseln.',
    labels_apart: 'Schlagwörter und Endnutzer werden getrennt gezählt: Fragen Sie nach einem von beiden.',
    span_empty: 'Der Zeitraum muss vor seinem Ende und vor jetzt beginnen.',
    span_long: 'Ein Zeitraum hat höchstens 1.000 Tage.',
    no_hours:
      'Stunden lassen sich für höchstens 32 Tage zeigen, aber nicht für Schlagwörter, für Endnutzer oder für Personen zusammen mit Modellen.',
    too_short: 'Es braucht mindestens 8 Zeichen.',
    too_long: 'Es sind höchstens 128 Zeichen möglich.',
    too_common: 'Das ist eines der Passwörter, die zuerst geraten werden. Wählen Sie ein anderes.',
    same_address: 'Das ist schon Ihre Adresse.',
    too_deep: 'Das hat mehr Ebenen, als angenommen werden.',
    too_large: 'Das ist größer, als angenommen wird.',
    not_text: 'Das enthält Zeichen, die nicht aufbewahrt werden können.',
    last_owner: 'Diese Plattform gehört sonst niemandem mehr. Geben Sie zuerst jemand anderem die Rolle.',
    pays_for_others:
      'Ihr Guthaben bezahlt für andere in Ihrer Organisation. Bitten Sie zuerst einen Admin, eine andere Person zu benennen, die bezahlt.',
    declared:
      'Dieses Konto steht in der Konfigurationsdatei des Servers. Bitten Sie den Betreiber dieses Dienstes, es zuerst dort zu entfernen.',
    other_email: 'Das ist nicht die Adresse Ihres Kontos.',
    wrong: 'Das ist nicht Ihr Passwort.',
    terms: 'Ohne Ihre Zustimmung zu den Bedingungen kann kein Konto angelegt werden.',
    taken: 'Das ist schon vergeben. Wählen Sie etwas anderes.',
    over: 'Diese Einladung gilt nicht mehr. Bitten Sie um eine neue.',
    other_address: 'Diese Einladung gilt für eine andere E-Mail-Adresse.',
    other_organisation: 'Sie gehören schon zu einer anderen Organisation.',
    missing: 'Diese Angabe wird gebraucht.',
    not_granted: 'Diese Rolle können Sie nicht vergeben.',
    not_found: 'Dorthin können Sie nicht einladen.',
    too_early: 'Das ist schon vorbei. Wählen Sie eine spätere Zeit.',
    unknown_user: 'Niemand, den Sie wählen können, hat diese Adresse.',
    too_many_keys:
      'Dieses Konto hat 1.000 Schlüssel, die nicht widerrufen sind; mehr gehen nicht. Widerrufen Sie die, die niemand braucht.',
    unknown_place: 'Das können Sie für diese Person nicht wählen.',
    other_department: 'Das Projekt gehört zu einer anderen Abteilung.',
    overlap: 'Nötig ist eine ganze Zahl von Stunden von 0 bis 720.',
    unknown_name: 'Das steht nicht zur Auswahl.',
    none_chosen: 'Wählen Sie mindestens eines, oder erlauben Sie jedes.',
    not_usd: 'Nötig ist ein Betrag in US-Dollar, etwa 12.50.',
    other_name: 'Das ist nicht der Name des Schlüssels.',
    request_id: 'Nötig ist die ID einer Anfrage oder ihr Anfang.',
    not_status: 'Möglich sind: ok, failed, 4xx, 5xx oder ein Status wie 404.',
    only_on_day:
      'Ein letzter Tag ist angegeben, aber „Nach dem Tag unten“ ist nicht gewählt: Wählen Sie es, oder lassen Sie das Feld leer.',
    two_ends: 'Zwei Enden sind angegeben: Lassen Sie eines weg.',
  },
  checker: {
    whole: 'Nötig ist eine ganze Zahl.',
    wholeFrom: (from) => `Nötig ist eine ganze Zahl ab ${from}.`,
    wholeBetween: (from, to) => `Nötig ist eine ganze Zahl von ${from} bis ${to}.`,
    number: 'Nötig ist eine Zahl.',
    between: (from, to) => `Nötig ist eine Zahl von ${from} bis ${to}.`,
    mostUsd: (amount) => `Möglich sind höchstens ${amount}.`,
    oneOf: (choices) => `Möglich sind: ${choices}.`,
    day: 'Nötig ist ein Tag wie 2026-11-23.',
    moment: 'Nötig ist ein Zeitpunkt mit seiner Zone wie 2026-11-23T14:30:00Z.',
    email: 'Nötig ist eine E-Mail-Adresse wie name@example.com.',
    text: 'Nötig ist ein Text.',
    shortest: (characters) => `Es braucht mindestens ${characters} Zeichen.`,
    longest: (characters) => `Es sind höchstens ${characters} Zeichen möglich.`,
    list: 'Nötig ist eine Liste.',
    mostInList: (number) => `Es sind höchstens ${number} möglich.`,
    unusable: 'Das kann hier nicht verwendet werden.',
  },
  refused: 'Das ist nicht möglich',
};
