/** Español: la página de inicio. */
import type { LandingWords } from './en.ts';

export const es = {
  title: 'Una pasarela de inferencia',
  description:
    'Una dirección para todos los modelos: acceso comprobado, limitado, medido y pagado de un monedero de prepago.',
  running: 'En marcha',
  signInNeeded: 'No ha iniciado sesión: el primer paso de abajo dice cómo',
  heading: 'Una dirección para todos los modelos',
  lead: 'Sluice está entre sus aplicaciones y los proveedores de modelos. Comprueba quién pregunta, respeta los límites, cuenta cada token y toma el coste de un monedero de prepago.',
  open: 'Abrir el panel',
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
    ' y liste los modelos. El primer arranque muestra un token y una línea que pregunta a un modelo.',
  ],
  baseUrl: (address) => ['Los clientes de OpenAI funcionan como están, con la dirección base ', address],
} satisfies LandingWords;
