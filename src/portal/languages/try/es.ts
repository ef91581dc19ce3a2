/** Español: probar un modelo desde su página. */
import type { TryWords } from './en.ts';

export const es = {
  title: 'Probarlo',
  charged: 'Se cobra y se registra como cualquier solicitud.',
  free: 'Se cuenta y se registra como cualquier solicitud, y no se cobra a nadie.',
  prompt: 'Mensaje',
  answerLimit: 'Respuesta de como máximo',
  tokens: (number: string) => `${number} tokens`,
  send: 'Enviar',
  stop: 'Detener',
  answer: 'Respuesta',
  atMost: (cost: string) => `Cuesta como máximo ${cost}`,
  waiting: 'Esperando la respuesta',
  stopped: 'Detenido. Lo que llegó hasta entonces se cobra.',
  failed: 'No se pudo enviar. Inténtelo de nuevo.',
  facts: {
    input: 'Tokens de entrada',
    output: 'Tokens de salida',
    cost: 'Coste',
    first: 'Primer token',
    duration: 'Duración',
    id: 'Solicitud',
  },
} satisfies TryWords;
