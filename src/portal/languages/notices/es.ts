/** Español: qué ha pasado y cómo sigue. */
import type { NoticesWords } from './en.ts';

export const es = {
  start: 'Ir al inicio',
  backTo: (page: string) => `Volver a «${page}»`,
  signOut: 'Cerrar sesión',
  notFound: {
    title: 'Aquí no hay ninguna página',
    paragraphs: ['Quizá la dirección esté mal escrita, o la página se haya movido o nunca haya existido.'],
  },
  missing: {
    keys: {
      title: 'Esta clave no existe',
      paragraphs: [
        'Quizá la dirección esté mal escrita, o la clave sea de alguien cuyas claves usted no ve.',
      ],
    },
    requests: {
      title: 'Esta solicitud no existe',
      paragraphs: [
        'Quizá la dirección esté mal escrita, o la solicitud sea de alguien cuyas solicitudes usted no ve.',
      ],
    },
  },
  addressRefused: {
    title: 'Esta dirección pide algo que la página no conoce',
    action: 'Abrir la página sin eso',
  },
  databaseIsAway: {
    title: 'No se puede acceder a la base de datos',
    paragraphs: [
      'No se ha perdido nada: lo que ve y posee está guardado allí. Vuelva a cargar esta página en unos segundos.',
      'Si usted administra este servidor, su registro dice por qué, y esto prueba la conexión:',
    ],
  },
  somethingFailed: {
    title: 'No se pudo crear esta página',
    paragraphs: [
      'Algo ha fallado por nuestra parte, y el registro del servidor dice qué. Inténtelo de nuevo en un momento.',
    ],
  },
  suspended: {
    title: 'Su cuenta está suspendida',
    paragraphs: [
      'Mientras tanto sus claves de API se rechazan, y no se borra nada. Pregunte el motivo a su administrador.',
    ],
  },
  archived: {
    title: 'Su cuenta está cerrada',
    paragraphs: [
      'Sus claves de API están revocadas. Hable con su administrador si vuelve a necesitar la cuenta.',
    ],
  },
} satisfies NoticesWords;
