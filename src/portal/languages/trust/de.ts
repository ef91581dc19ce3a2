/** Deutsch: wie der Dienst geschützt ist und wer was bestimmt. */
import type { TrustWords } from './en.ts';

export const de: TrustWords = {
  security: {
    title: 'Sicherheit',
    description:
      'Wie Geheimnisse, Inhalte, Seiten und Mandanten geschützt sind und was dem Betreiber bleibt.',
    lead: 'Was die Software für die Sicherheit tut, und offen gesagt, was sie dem überlässt, der sie betreibt.',
    sections: [
      {
        title: 'Geheimnisse',
        points: [
          [
            'Token und Sitzungen',
            'Zufällig und als SHA-256-Hash gespeichert. Ein Token wird einmal gezeigt.',
          ],
          ['Passwörter', 'Als argon2id-Hash gespeichert. Raten wird je Konto und je Adresse gebremst.'],
          [
            'Schlüssel der Anbieter',
            'Mit AES-256-GCM versiegelt, unter einem Geheimnis, das nicht in der Datenbank steht; nur im Speicher geöffnet, nie im Log.',
          ],
        ],
      },
      {
        title: 'Inhalte',
        points: [
          [
            'Nicht aufbewahrt',
            'Anfragen und Antworten stehen weder in der Datenbank noch im Log. Einträge enthalten Anzahlen, Zeiten, Kosten und Ausgang.',
          ],
          [
            'Zwei Ausnahmen, auf Zeit',
            'Frage und Antwort der Responses-Schnittstelle werden eine Stunde im Speicher gehalten, wenn der Betreiber es nicht geändert hat, für den Schlüssel, der sie bekam, damit die nächste Anfrage sich auf sie beziehen kann; `store: false` vermeidet es. Eine Antwort auf eine Anfrage mit `Idempotency-Key` wird einen Tag gehalten, im Speicher oder versiegelt in Redis, nur für dieselbe Anfrage.',
          ],
          [
            'Wer sie sieht',
            'Der Anbieter, der antwortet. Ein Schlüssel lässt sich auf Modelle, Anbieter und Regionen beschränken.',
          ],
        ],
      },
      {
        title: 'Seiten',
        points: [
          [
            'Strenge Richtlinie',
            'Seiten laden nichts von anderen Hosts und führen kein eingebettetes Skript aus. Sie lassen sich nicht einrahmen und senden keinen Referrer.',
          ],
          [
            'Niemand handelt für Sie',
            'Was die Seite einer anderen Website sendet, wird abgelehnt. Cookies sind `HttpOnly` und `SameSite=Lax`, über https auch `Secure`; das der Sitzung hat dort das Präfix `__Host-`.',
          ],
        ],
      },
      {
        title: 'Mandanten und feindliche Eingaben',
        points: [
          [
            'Wessen Daten',
            'Jedes Lesen und Schreiben dessen, was Leuten gehört, sagt für wen. Was einem anderen gehört, wird beantwortet, als gäbe es das nicht.',
          ],
          [
            'Begrenzt',
            'Größe, Zeit und Speicher einer Anfrage sind begrenzt, bevor sie gelesen wird, und ein Schlüssel kann nicht alles davon nehmen.',
          ],
          [
            'Ein Modell, wie genannt',
            'Felder, die hinter einem Anbieter ein anderes Modell, einen anderen Host oder Zugang wählen würden, werden abgelehnt.',
          ],
        ],
      },
      {
        title: 'Was dem Betreiber bleibt',
        points: [
          ['Verschlüsselung unterwegs', 'Ein Proxy davor beendet TLS; das Programm selbst spricht HTTP.'],
          [
            'Sicherung und Aufbewahrung',
            'Der Datenbank. Nutzungseinträge bleiben, außer der Betreiber legt fest, wie viele Tage.',
          ],
          [
            'Grenzen über mehrere Prozesse',
            'Ohne Redis zählt jeder Prozess für sich, sodass sich die Grenzen eines Schlüssels über sie summieren.',
          ],
        ],
      },
    ],
  },
  controls: {
    title: 'Kontrolle',
    description: 'Wer was bestimmt: Schlüssel, Guthaben, Rollen und die Einstellungen des Betreibers.',
    lead: 'Was sich in Grenzen halten lässt, und von wem.',
    sections: [
      {
        title: 'Ein Schlüssel',
        points: [
          ['Sperren', 'Auf Modelle, Anbieter und Regionen. Was eine Sperre nicht nennt, wird abgelehnt.'],
          ['Grenzen', 'Anfragen je Minute, Token je Minute, gleichzeitige Anfragen.'],
          [
            'Rechte und Dauer',
            'Inferenz, Webchat oder nur Lesen; ein Enddatum; sofort und für immer widerrufen.',
          ],
        ],
      },
      {
        title: 'Ein Konto',
        points: [
          [
            'Guthaben',
            'Im Voraus bezahlt. Ist es leer, werden Anfragen an Modelle mit Preis mit 402 abgelehnt; kostenlose gehen weiter.',
          ],
          [
            'Status',
            'Gesperrte Konten werden abgewiesen und verlieren nichts; bei geschlossenen sind die Schlüssel widerrufen.',
          ],
          [
            'Rollen',
            'Vom Mitglied bis zum Inhaber der Plattform; jeder sieht und ändert, was seine Rolle umfasst, und nichts darüber hinaus.',
          ],
        ],
      },
      {
        title: 'Ein Anbieter',
        points: [
          [
            'Reihenfolge und Sichtbarkeit',
            'Wer Modelle festlegt, sagt, welche Anbieter sie bedienen, in welcher Reihenfolge und in welcher Region.',
          ],
          [
            'Geduld',
            'Wie lange auf eine Verbindung, ein erstes Byte, eine ganze Antwort gewartet wird; auch für jeden Anbieter eigens.',
          ],
        ],
      },
      {
        title: 'Der Dienst',
        points: [
          ['Was gehalten wird', 'Wie lange Antworten zum Bezug gehalten werden; `0` hält keine.'],
          ['Wie viel', 'Die größte Anfrage und der Speicher, den alle Anfragen zusammen nehmen dürfen.'],
          [
            'Beim Start geprüft',
            'Jeder Fehler in den Einstellungen wird genannt, und `npx sluice doctor` fragt jeden Anbieter, ob er geht.',
          ],
        ],
      },
    ],
  },
  certifications: {
    title: 'Zertifikate',
    description: 'Welche Zertifikate dieser Dienst beansprucht: keine. Was ein Betreiber ergänzen kann.',
    lead: 'Es werden keine beansprucht. Die Software wurde von niemandem geprüft oder zertifiziert; sonst stünde es hier.',
    sections: [
      {
        title: 'Was das heißt',
        points: [
          [
            'Ein Zertifikat gilt einem Betrieb',
            'ISO 27001, SOC 2 und ähnliche bescheinigen, wie eine Organisation arbeitet. Software allein kann sie nicht haben: Wer diesen Dienst betreibt, kann es.',
          ],
          [
            'Fragen Sie den Betreiber',
            'Seine Zertifikate, seine Auftragnehmer und den Ort seiner Server kann nur er zeigen. Der Vertrag zur Auftragsverarbeitung ist der Platz dafür.',
          ],
        ],
      },
      {
        title: 'Was die Software mitbringt',
        points: [
          [
            'Belege',
            'Ein Eintrag je Anfrage mit jedem Versuch, Einzahlungen und Belastungen jedes Guthabens, angenommene Fassungen der Bedingungen mit ihrer Zeit.',
          ],
          [
            'Wenige Daten',
            'Keine Inhalte in Datenbank oder Log, kein fremder Host auf irgendeiner Seite, nur die nötigen Cookies.',
          ],
          ['Offener Quelltext', 'Unter der Apache-Lizenz 2.0, sodass er samt Tests gelesen werden kann.'],
        ],
      },
      {
        title: 'Was ein Betreiber ergänzt',
        points: [
          ['Eigene Texte', 'Die rechtlichen Seiten sind Dateien, die ein eigener Ordner ersetzt.'],
          ['Eigene Maßnahmen', 'TLS, Sicherungen, Aufbewahrung, Zugang zu Servern, Umgang mit Vorfällen.'],
        ],
      },
    ],
  },
};
