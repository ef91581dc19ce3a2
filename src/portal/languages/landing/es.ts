/** Español: la página de inicio. */
import { countIn } from '../language.ts';
import type { LandingWords } from './en.ts';

const count = countIn('es');

export const es = {
  title: 'Una pasarela de inferencia',
  description:
    'Una dirección para todos los modelos: acceso comprobado, limitado, medido y pagado de un monedero de prepago.',
  heading: 'Una dirección para todos los modelos',
  models: (number) => count(number, { one: 'modelo', other: 'modelos' }),
  providers: (number) => count(number, { one: 'proveedor', other: 'proveedores' }),
  lead: (models, providers) =>
    `${models} de ${providers} por un solo punto de acceso, en el protocolo que su cliente ya habla. Cada solicitud se comprueba, se limita, se cuenta token a token y se paga de un monedero de prepago.`,
  docs: 'Enviar la primera solicitud',
  example: {
    title: 'Lo que se sabe de una solicitud',
    detail: 'Un ejemplo',
    live: {
      send: 'Enviar una solicitud real',
      again: 'Enviar otra',
      detail: 'En directo, por el simulador',
      waited: 'Simulador: primer contenido',
      cost: 'Coste, no se cobra a nadie',
      waiting: 'Su solicitud está en camino…',
      failed: 'La solicitud no llegó. Inténtelo de nuevo en un minuto.',
      note: 'Enviada ahora mismo por la pasarela de esta instalación a su simulador incorporado: sin token ni saldo, y no se guarda nada. Los tiempos son de esta sola solicitud, y la primera tras un arranque es la más lenta; lo medido más abajo es de muchas.',
      answer: 'La respuesta',
    },
    bill: 'Lo que costó',
    spans: {
      gate: 'Clave, monedero, ruta',
      failed: 'Primer proveedor: sobrecargado',
      waited: 'Segundo proveedor: espera',
      streamed: 'La respuesta en flujo',
      settled: 'Liquidación',
    },
    lines: { input: 'Entrada', cached: 'Leído de la caché', output: 'Salida' },
    taken: 'Tomado del monedero',
    note: 'El intento fallido no costó nada, y quien llamó vio una respuesta. El registro guarda cantidades, tiempos y costes, nunca el contenido.',
  },
  measured: {
    title: 'Medido',
    added: 'añadidos a una solicitud, de mediana',
    rate: 'solicitudes por segundo',
    memory: 'de memoria bajo carga',
    contents: 'prompts escritos en la base',
    source: (day, cores) =>
      `Respuestas enteras en PostgreSQL, un proceso, en ${cores} núcleos compartidos con cliente, proveedor y base, ${day}. npm run bench lo mide de nuevo.`,
  },
  what: 'Para quienes responden de la factura',
  offers: {
    protocols: {
      name: 'Todo protocolo',
      text: 'Chat completions, responses, messages y generateContent. Todo modelo de chat responde a todos.',
    },
    failover: {
      name: 'Relevo',
      text: 'Hasta el primer contenido se pregunta al siguiente proveedor. Un flujo cortado nunca parece entero.',
    },
    wallet: {
      name: 'Un monedero de prepago',
      text: 'Si está vacío, lo que tiene precio se rechaza antes de preguntar a un proveedor. Los costes son exactos a la milmillonésima de dólar.',
    },
    keys: {
      name: 'Claves con bloqueos y límites',
      text: 'Modelos, proveedores y regiones; solicitudes y tokens por minuto; solicitudes a la vez.',
    },
    record: {
      name: 'Cada intento registrado',
      text: 'A quién se preguntó, cuánto tardó, qué se contó y qué costó, una fila por solicitud.',
    },
    privacy: {
      name: 'Los contenidos quedan fuera',
      text: 'Ni la base ni el registro guardan lo que se preguntó y respondió.',
    },
  },
  run: 'Operarla usted mismo',
  signIn: 'Iniciar sesión',
  signInHow: (command) => [
    'Al arrancar, el servidor escribe un enlace en su terminal, y ',
    command,
    ' crea otro. Ábralo en este navegador y pulse el botón: sirve una vez, durante una hora.',
  ],
  send: 'Enviar una solicitud',
  sendHow: (variable) => [
    'Ponga un token de API en la variable ',
    variable,
    '. El primer arranque muestra un token y una línea que pregunta a un modelo.',
  ],
  baseUrl: (address) => ['Los clientes de OpenAI funcionan como están, con la dirección base ', address],
} satisfies LandingWords;
