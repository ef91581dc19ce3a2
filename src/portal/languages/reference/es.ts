/** Español: las descripciones de las interfaces. */
import type { ReferenceWords } from './en.ts';

export const es = {
  title: 'Referencia de la API',
  description:
    'Cada dirección de la pasarela, del portal y de la API de cuentas, con campos, respuestas y errores.',
  lead: 'Hecha del programa que responde, y en inglés. Con Authorize envía solicitudes con su token; son reales y se cobran.',
  names: { gateway: 'Pasarela', portal: 'Portal', account: 'API de cuentas' },
  file: 'La descripción en OpenAPI 3.1, para programas',
  needsScript: 'Esta página dibuja la descripción con un script. Sin él, abra el archivo de arriba.',
} satisfies ReferenceWords;
