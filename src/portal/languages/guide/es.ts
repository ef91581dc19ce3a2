/** Español: la guía. */
import type { Child } from 'hono/jsx';
import type { GuideWords } from './en.ts';

export const es = {
  title: 'Guía',
  contents: 'Contenido',
  noModel: 'Todavía no se le ofrece ningún modelo de chat: ponga su nombre en lugar de MODEL.',
  noKey: 'No tiene ninguna clave que funcione ahora.',
  makeKey: 'Crear una',
  ownKey: (name: Child): Child => [
    'Esta es su clave ',
    name,
    '. Su token completo se mostró una sola vez, al crearla.',
  ],
  sections: {
    key: {
      title: 'Su clave',
      text: 'Cada solicitud lleva un token. Guárdelo en una variable de entorno y fuera del código compartido.',
    },
    first: {
      title: 'Primera solicitud',
      text: 'Cualquier cliente de OpenAI funciona con esta dirección base y su token.',
    },
    protocols: {
      title: 'Protocolos',
      text: 'Los mismos modelos responden en cuatro protocolos. Las solicitudes se convierten cuando el proveedor de un modelo habla otro.',
    },
    streaming: {
      title: 'Transmisión',
      text: 'Con stream, la respuesta llega como eventos enviados por el servidor. Los últimos indican el uso; una respuesta que se corta termina con un error y nunca parece completa.',
    },
    tools: {
      title: 'Herramientas',
      text: 'Describa funciones, ejecute lo que el modelo llama y devuelva el resultado en un mensaje del rol tool.',
    },
    errors: {
      title: 'Errores y reintentos',
      text: 'x-should-retry dice si sirve otro intento, y retry-after cuándo. Un proveedor que falla se sustituye por el siguiente antes de que usted vea un error. Idempotency-Key hace seguro un reintento: se cobra una vez.',
    },
    limits: {
      title: 'Límites',
      text: 'Una clave y su titular pueden tener límites de solicitudes por minuto, tokens por minuto y solicitudes simultáneas. Las cabeceras x-ratelimit de las respuestas dicen lo que queda, y esta dirección lo dice todo, con presupuesto y saldo.',
    },
    sessions: {
      title: 'Sesiones y etiquetas',
      text: 'Una sesión mantiene una conversación en el mismo proveedor, que así aprovecha su caché. Etiquetas y usuarios finales se encuentran después en el uso.',
    },
    budgets: {
      title: 'Presupuestos',
      text: 'Claves, personas y organizaciones pueden tener presupuestos por día, semana, mes o en total. Primero se reserva lo máximo que puede costar una solicitud; si queda demasiado poco recibe el estado 402 con los tokens que se podrían pagar.',
    },
    clients: {
      title: 'SDK y agentes',
      text: 'Ajustes para los clientes más usados.',
    },
    production: {
      title: 'Antes de producción',
      text: 'Lo que merece una mirada antes de que otros dependan de ello.',
    },
  },
  statuses: {
    400: 'La solicitud no es válida: el mensaje dice qué parte.',
    401: 'El token falta, está mal escrito, desactivado o caducado.',
    402: 'El saldo o un presupuesto está agotado. No reintente antes de añadir dinero.',
    403: 'Un bloqueo de la clave lo prohíbe: la frase dice cuál.',
    404: 'Ese modelo no existe, o no para usted.',
    429: 'Se alcanzó un límite. Espere lo que dice retry-after.',
    '502, 503, 504': 'Se probaron todos los proveedores posibles y fallaron. Reintente tras una pausa.',
  },
  checklist: [
    'Una clave por servicio, limitada a los modelos que necesita, con presupuesto y fecha de fin.',
    'Tiempos de espera de su cliente más largos que la respuesta más larga: transmita lo que tarda.',
    'Reintentos con pausa para 429 y 5xx, ninguno para 400, 401, 402 y 403.',
    'El x-request-id de los fallos en su registro: con él se encuentra aquí la solicitud.',
    'Un saldo que alcance, y alguien que lea los correos sobre él.',
  ],
} satisfies GuideWords;
