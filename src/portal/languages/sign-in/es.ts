/** Español: el enlace de acceso y el cierre de sesión. */
import type { SignInWords } from './en.ts';

export const es = {
  link: {
    title: (brand) => `Iniciar sesión en ${brand}`,
    paragraphs: (email) => [
      `En este navegador usted será ${email}.`,
      'El enlace sirve una sola vez. Si no era para usted, cierre esta página.',
    ],
    action: 'Iniciar sesión',
  },
  refused: {
    title: 'Este enlace de acceso ya no funciona',
    paragraphs: [
      'Un enlace sirve una vez, durante la hora siguiente a su creación. Este ya se usó, es demasiado antiguo o no se copió entero. Si lo usó este navegador, la sesión está iniciada.',
      'Pida otro a quien administra este servicio. Si es usted, créelo con:',
    ],
    action: 'Abrir el panel',
  },
  out: {
    title: '¿Cerrar la sesión?',
    paragraphs: [
      'Viene de otro sitio. Todavía no ha cambiado nada: cierre la sesión, o cierre esta página para quedarse.',
    ],
    action: 'Cerrar sesión',
  },
} satisfies SignInWords;
