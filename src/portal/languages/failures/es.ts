/** Español: qué significa el código de una solicitud fallida, y qué ayuda. */
import type { FailuresWords } from './en.ts';

export const es = {
  upstream_refused_request:
    'El proveedor rechazó la propia solicitud: un campo o un valor no es lo que el modelo admite. Corrija la solicitud; sin cambios volverá a rechazarse.',
  content_filtered:
    'El proveedor rechazó el contenido según sus propias reglas. Cambie el prompt o use un modelo de otro proveedor.',
  context_length_exceeded:
    'El prompt y la respuesta más larga no caben en el contexto del modelo. Acorte la conversación, pida una respuesta más corta o use un modelo con más contexto.',
  upstream_unreachable:
    'No se pudo conectar con el proveedor. Envíe la solicitud otra vez; si sigue así, avise a quien administra este servidor.',
  upstream_failed: 'El proveedor tuvo un error. Envíe la solicitud otra vez.',
  upstream_invalid_answer:
    'Lo que envió el proveedor no es una respuesta de su protocolo. Envíe la solicitud otra vez; si sigue así, avise a quien administra este servidor.',
  upstream_rejected_credentials:
    'El proveedor no aceptó las credenciales de este servidor. Quien lo administra debe renovarlas; enviar otra vez no cambia nada.',
  upstream_model_unavailable:
    'El proveedor no tiene este modelo, o no para esta cuenta. Use otro modelo o avise a quien administra este servidor.',
  upstream_overloaded: 'El proveedor estaba saturado. Espere un momento y envíe la solicitud otra vez.',
  upstream_quota_spent:
    'Lo que este servidor puede usar del proveedor está agotado. Avise a quien administra este servidor; enviar otra vez no cambia nada.',
  upstream_rate_limited:
    'El proveedor no admitía por ahora más solicitudes de este servidor. Espere un momento y envíe la solicitud otra vez.',
  upstream_timeout:
    'El proveedor no respondió a tiempo. Envíe la solicitud otra vez, reciba la respuesta por partes o pida una más corta.',
  upstream_state_gone:
    'La solicitud continúa algo que un proveedor había guardado y ya no tiene. Envíe la conversación entera.',
  no_provider:
    'No quedaba ningún proveedor que pueda servir este modelo. Mire qué permiten la clave y la política de datos, o use otro modelo.',
  body_too_large: 'El cuerpo es mayor de lo que se admite. Envíe menos o archivos más pequeños.',
  client_closed:
    'El programa que preguntaba cerró la conexión antes del final. Dele más tiempo si no era su intención.',
  shutting_down: 'Este servidor se estaba deteniendo. Envíe la solicitud otra vez.',
  accounting_unavailable:
    'No se pudo reservar lo que la solicitud puede costar, porque no se llegaba a los libros. Envíe la solicitud otra vez.',
  internal_error:
    'Algo falló en este servidor. Envíe la solicitud otra vez; si sigue así, dé el id de la solicitud a quien lo administra.',
} satisfies FailuresWords;
