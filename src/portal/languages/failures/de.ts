/** Deutsch: was der Code einer gescheiterten Anfrage bedeutet, und was hilft. */
import type { FailuresWords } from './en.ts';

export const de = {
  upstream_refused_request:
    'Der Anbieter hat die Anfrage selbst abgewiesen: Ein Feld oder ein Wert ist nicht, was das Modell annimmt. Berichtigen Sie die Anfrage; unverändert wird sie wieder abgewiesen.',
  content_filtered:
    'Der Anbieter hat den Inhalt nach seinen eigenen Regeln abgewiesen. Ändern Sie den Prompt, oder fragen Sie ein Modell eines anderen Anbieters.',
  context_length_exceeded:
    'Prompt und längste Antwort passen nicht in den Kontext des Modells. Kürzen Sie das Gespräch, verlangen Sie eine kürzere Antwort, oder nehmen Sie ein Modell mit mehr Kontext.',
  upstream_unreachable:
    'Es kam keine Verbindung zum Anbieter zustande. Senden Sie die Anfrage noch einmal; bleibt es so, sagen Sie es dem Betreiber dieses Servers.',
  upstream_failed: 'Beim Anbieter gab es einen Fehler. Senden Sie die Anfrage noch einmal.',
  upstream_invalid_answer:
    'Was der Anbieter schickte, ist keine Antwort seines Protokolls. Senden Sie die Anfrage noch einmal; bleibt es so, sagen Sie es dem Betreiber dieses Servers.',
  upstream_rejected_credentials:
    'Der Anbieter nahm die Zugangsdaten dieses Servers nicht an. Sein Betreiber muss sie erneuern; noch einmal zu senden ändert nichts.',
  upstream_model_unavailable:
    'Der Anbieter hat dieses Modell nicht, oder nicht für dieses Konto. Fragen Sie ein anderes Modell, oder sagen Sie es dem Betreiber dieses Servers.',
  upstream_overloaded:
    'Der Anbieter war überlastet. Warten Sie einen Moment, und senden Sie die Anfrage noch einmal.',
  upstream_quota_spent:
    'Was dieser Server vom Anbieter nutzen darf, ist aufgebraucht. Sagen Sie es dem Betreiber dieses Servers; noch einmal zu senden ändert nichts.',
  upstream_rate_limited:
    'Der Anbieter nahm vorerst keine Anfragen dieses Servers mehr an. Warten Sie einen Moment, und senden Sie die Anfrage noch einmal.',
  upstream_timeout:
    'Der Anbieter hat nicht rechtzeitig geantwortet. Senden Sie die Anfrage noch einmal, lassen Sie die Antwort streamen, oder verlangen Sie eine kürzere.',
  upstream_state_gone:
    'Die Anfrage setzt fort, was ein Anbieter gespeichert hatte und nicht mehr hat. Senden Sie das ganze Gespräch.',
  no_provider:
    'Kein Anbieter war übrig, der dieses Modell bedienen darf. Sehen Sie nach, was Schlüssel und Datenrichtlinie erlauben, oder fragen Sie ein anderes Modell.',
  body_too_large:
    'Der Inhalt der Anfrage ist größer, als angenommen wird. Senden Sie weniger oder kleinere Dateien.',
  client_closed:
    'Das fragende Programm hat die Verbindung vor dem Ende geschlossen. Geben Sie ihm mehr Zeit, wenn das nicht gewollt war.',
  shutting_down: 'Dieser Server wurde gerade beendet. Senden Sie die Anfrage noch einmal.',
  accounting_unavailable:
    'Was die Anfrage kosten kann, ließ sich nicht reservieren, weil die Bücher nicht erreichbar waren. Senden Sie die Anfrage noch einmal.',
  internal_error:
    'In diesem Server ging etwas schief. Senden Sie die Anfrage noch einmal; bleibt es so, nennen Sie seinem Betreiber die Anfrage-ID.',
} satisfies FailuresWords;
