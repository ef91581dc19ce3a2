/** Español: los ajustes de una cuenta. */
import type { SettingsWords } from './en.ts';

export const es = {
  title: 'Ajustes',
  password: {
    title: 'Contraseña',
    text: 'Una nueva cierra la sesión en los demás navegadores.',
    none: 'Aún no tiene contraseña. Con ella podrá iniciar sesión con su dirección de correo.',
    current: 'Contraseña actual',
    next: 'Contraseña nueva',
    help: 'Al menos 8 caracteres. Van bien unas palabras que no tengan nada que ver entre sí.',
    action: 'Guardar la contraseña',
    done: 'Su contraseña ha cambiado, y la sesión está cerrada en los demás navegadores.',
  },
  sessions: {
    title: 'Dónde tiene la sesión abierta',
    browser: 'Navegador',
    address: 'Dirección',
    begun: 'Desde',
    used: 'Último uso',
    own: 'este navegador',
    unknown: 'Desconocido',
    end: 'Cerrar sesión',
    endOthers: 'Cerrar en todos los demás',
    ended: 'La sesión de ese navegador está cerrada.',
    othersEnded: 'La sesión está cerrada en todos los demás navegadores.',
  },
} satisfies SettingsWords;
