/** Deutsch: was der Dienst kann, kostet und braucht. */
import type { ProductWords } from './en.ts';

export const de: ProductWords = {
  features: {
    title: 'Was es kann',
    description:
      'Protokolle, Anbieter, Ausweichen, Abrechnung, Schlüssel und Betrieb: was dieses Gateway tut.',
    lead: 'Eine Adresse vor den Anbietern der Modelle, die die Protokolle spricht, die Ihre Clients schon sprechen.',
    sections: [
      {
        title: 'Jedes Protokoll, jedes Modell',
        points: [
          [
            'Vier Chatprotokolle',
            'Chat Completions, Responses, Messages und generateContent, ganz und als Stream. Jedes Chatmodell beantwortet alle; Anfragen und Antworten werden umgesetzt, wo Client und Anbieter verschieden sprechen.',
          ],
          [
            'Nichts geht verloren',
            'Sprechen beide dasselbe Protokoll, laufen die Bytes durch: Unbekannte Felder, große Zahlen und Schreibweisen bleiben, wie sie waren.',
          ],
          [
            'Mehr als Chat',
            'Einbettungen, Umsortieren, Transkription, Übersetzung von Gesprochenem und Sprache, jeweils in der Form, die übliche Clients erwarten.',
          ],
          [
            'Agenten, wie sie sind',
            'Claude Code, Codex, Gemini CLI, opencode und Qwen Code wurden eingerichtet und ausprobiert, ebenso das AI SDK und LangChain.',
          ],
        ],
      },
      {
        title: 'Anbieter',
        points: [
          [
            'Viele Arten',
            'OpenAI, Anthropic, Google, Azure, Bedrock, Cohere, Voyage, Jina, Deepgram, ElevenLabs, rund zwanzig kompatible Hosts und eigene Server wie vLLM und Ollama.',
          ],
          [
            'Ausweichen',
            'Die Anbieter eines Modells werden gefragt, nach Reihenfolge, Gewicht, Latenz oder Preis, bis der erste Inhalt einer Antwort da ist. Danach steht ein Fehler im Stream, der dann nie endet, als wäre er ganz. Auf Wunsch macht ein anderer Anbieter dort weiter, wo er abbrach.',
          ],
          [
            'Das Modell `auto`',
            'Steht für das günstigste Modell, das der Schlüssel nutzen darf und das kann, was die Anfrage braucht.',
          ],
          [
            'Umgang mit Daten',
            'Was Anbieter zu Aufbewahrung, Training und Region sagen, ist eine Sperre für Organisationen, Abteilungen, Schlüssel und Anfragen. Wozu niemand etwas gesagt hat, kommt nie durch.',
          ],
        ],
      },
      {
        title: 'Abrechnung',
        points: [
          [
            'Genau',
            'Nichts wird doppelt gezählt, Kosten in Milliardsteln eines Dollars, ein Eintrag je Anfrage mit jedem Versuch: nie ihr Inhalt.',
          ],
          [
            'Im Voraus bezahlt',
            'Jedes Konto hat ein Guthaben. Ist es leer, kommt bei Modellen mit Preis 402, bevor ein Anbieter gefragt wird.',
          ],
          [
            'Auch für Streams',
            'Die Zählung wird erfragt und wieder herausgenommen, wo der Client sie nicht wollte; was ein Anbieter nicht zählt, wird hier gezählt und als geschätzt vermerkt.',
          ],
          [
            'Budgets und Grenzen',
            'Für Tag, Woche, Monat oder insgesamt, für Schlüssel, Personen, Abteilungen und Organisationen; Anfragen und Token je Minute. Auch gleichzeitige Anfragen überschreiten keines.',
          ],
        ],
      },
      {
        title: 'Betrieb',
        points: [
          [
            'Ein Programm',
            'Eine eingebaute Datenbank für den Anfang, PostgreSQL für mehrere Prozesse. Sonst braucht es nichts.',
          ],
          [
            'Von außen zu sehen',
            '`/health`, Metriken für Prometheus und ein Log aus JSON-Zeilen mit einer festen Liste von Feldern.',
          ],
          [
            'Hält sanft an',
            'Laufende Antworten enden vor dem Prozess, und was sie verbraucht haben, wird geschrieben.',
          ],
          [
            'Sagt Bescheid',
            'Mails und signierte Webhooks, wenn ein Guthaben oder Budget zur Neige geht, ein Schlüssel abläuft oder ein Anbieter ausfällt.',
          ],
        ],
      },
    ],
  },
  pricing: {
    title: 'Preise',
    description: 'Was eine Anfrage kostet, was kostenlos ist, und die aktuellen Preise jedes Modells.',
    lead: 'Sie zahlen, was eine Anfrage verbraucht hat, zum Preis ihres Modells, aus einem Guthaben. Die Software kennt keinen Mindestbetrag und keine Monatsgebühr.',
    sections: [
      {
        title: 'Wie Kosten entstehen',
        points: [
          [
            'Anzahl mal Preis',
            'Eine genaue Summe, einmal gerundet, auf ein Milliardstel Dollar. Es gilt der Preis des Modells, oder der des Anbieters, der geantwortet hat, wo er einen eigenen hat.',
          ],
          [
            'Nichts doppelt',
            'Was ein Cache lieferte, hat einen eigenen Preis und ist nicht noch einmal Eingabe. Nachdenken ist ein Teil der Ausgabe.',
          ],
          [
            'Mit der Antwort gesagt',
            '`x-sluice-cost-usd` steht in den Headern einer ganzen Antwort; die Kosten eines Streams stehen in seinem Nutzungseintrag.',
          ],
        ],
      },
      {
        title: 'Was kostenlos ist',
        points: [
          [
            'Fehlgeschlagene Versuche',
            'Anbieter, die vor dem antwortenden ausfielen, kosten nichts, und ebenso wenig eine Anfrage, die nichts ergibt.',
          ],
          ['Fragen nach Modellen', 'Modelle auflisten und Token zählen.'],
        ],
      },
      {
        title: 'Was man wissen sollte',
        points: [
          [
            'Früher gehen',
            'Liegt ein Prompt beim Anbieter, wird die Eingabe berechnet; mitten in einer Antwort auch, was erzeugt wurde, bis der Anbieter angehalten war.',
          ],
          [
            'Der letzte Cent',
            'Was eine Anfrage höchstens kosten kann, wird reserviert, bevor sie gesendet wird; das Guthaben wird nie überzogen, und auch der letzte Cent lässt sich ausgeben, mit einer kürzeren Antwort.',
          ],
          [
            'Was keinen Preis hat',
            'Wird abgelehnt oder aus der Anfrage gelassen, wo sie ohne es geht. Die Antwort nennt es in `x-sluice-left-out`.',
          ],
        ],
      },
    ],
  },
  guide: {
    title: 'Anleitung',
    description: 'Vom Schlüssel zu Streams, Grenzen und Fehlern: wie man das Gateway benutzt.',
    lead: 'Was man wissen muss, um das Gateway gut zu nutzen, in der Reihenfolge, in der man es braucht.',
    sections: [
      {
        title: 'Beginnen',
        points: [
          [
            '1. Ein Schlüssel',
            'Wer diesen Dienst betreibt, gibt Ihnen ein API-Token. Bewahren Sie es in einer Umgebungsvariablen auf, nie im Code. Es zahlt das Guthaben seines Inhabers.',
          ],
          [
            '2. Eine Adresse',
            'OpenAI-Clients nehmen die Adresse dieser Seite mit `/v1`, die von Anthropic und Google ohne Pfad.',
          ],
          [
            '3. Ein Modell',
            '`GET /v1/models` listet auf, was der Schlüssel nutzen kann. Ein einfacher Client bekommt ein Array, die offiziellen Clients die Listen, die sie erwarten.',
          ],
        ],
      },
      {
        title: 'Streams',
        points: [
          [
            'Wie gewohnt anfragen',
            'Mit `stream: true` oder bei Gemini unter `:streamGenerateContent`. Schweigt ein Anbieter, hört der Client alle 15 Sekunden, dass das Gateway lebt.',
          ],
          [
            'Auf das Ende sehen',
            'Ein Stream, der abbricht, sagt es in einem Ereignis und lässt sein übliches Ende weg. Halten Sie eine Antwort nur für ganz, wenn dieses Ende kam.',
          ],
        ],
      },
      {
        title: 'Grenzen',
        points: [
          [
            'Eines Schlüssels',
            'Anfragen und Token je Minute und gleichzeitige Anfragen. Darüber kommt 429 mit `retry-after`; `x-ratelimit-…` sagt, wie viel übrig ist.',
          ],
          [
            'Wie Token zählen',
            'Eine Anfrage reserviert zu Beginn ihre Eingabe und die Obergrenze ihrer Ausgabe und gibt zurück, was sie nicht brauchte. Ein sinnvolles `max_tokens` lässt mehr Anfragen durch.',
          ],
        ],
      },
      {
        title: 'Fehler',
        points: [
          [
            'In der Form Ihres Clients',
            'Ein Fehler hat die Form des angefragten Protokolls, mit `detail` daneben. `x-should-retry` sagt, ob ein neuer Versuch sinnvoll ist.',
          ],
          ['`402`', 'Das Guthaben ist leer.'],
          [
            '`403`',
            'Dem Schlüssel fehlt das Recht, eine Sperre verbietet es, oder das Gewünschte hat keinen Preis. Die Meldung sagt, was davon.',
          ],
          ['`422`', 'Felder sind falsch; bis zu zwanzig stehen in `error.fields`.'],
          ['`502`, `503`, `504`', 'Jeder Anbieter des Modells fiel aus, war überlastet oder zu langsam.'],
          ['Wenn Sie Hilfe brauchen', 'Nennen Sie die `x-request-id` der Antwort.'],
        ],
      },
    ],
  },
};
