/** Español: los ajustes de una cuenta. */
import type { SettingsWords } from './en.ts';

export const es = {
  title: 'Ajustes',
  pages: { profile: 'Perfil', security: 'Acceso y seguridad', notifications: 'Avisos', data: 'Sus datos' },
  profile: {
    title: 'Perfil',
    name: 'Su nombre',
    nameHelp: 'Como lo ven sus colegas. Puede quedar vacío.',
    language: 'Idioma',
    languageHelp: 'De sus páginas y correos.',
    theme: 'Tema',
    themeHelp: 'De este navegador.',
    themes: { system: 'Como el sistema', light: 'Claro', dark: 'Oscuro' },
    action: 'Guardar el perfil',
    done: 'Su perfil está guardado.',
  },
  email: {
    title: 'Dirección de correo',
    text: (email) =>
      `Es ${email}. Una dirección nueva vale en cuanto siga el enlace que se envía a ella; hasta entonces no cambia nada.`,
    managed: (email) =>
      `Es ${email}. Esta cuenta figura en el archivo de configuración del servidor; solo quien administra este servicio puede cambiar la dirección.`,
    next: 'Nueva dirección de correo',
    action: 'Enviar el enlace',
    asked: (email) => `Un correo va en camino a ${email}. Su dirección cambia en cuanto siga su enlace.`,
    done: (email) => `Su dirección es ${email} desde ahora.`,
    confirm: 'Cambiar su dirección de correo',
    confirmText: (before, after) =>
      `Su cuenta tiene la dirección ${before}. ¿Debe ser ${after} desde ahora? Entonces inicia sesión con ella, y los correos llegan allí.`,
    confirmAction: 'Cambiar la dirección',
    over: 'Este enlace ya no vale',
    overText: (email) =>
      `Un enlace a otra dirección vale una vez, durante 24 horas y en la cuenta que lo pidió. Ha iniciado sesión como ${email}.`,
    back: 'A los ajustes',
  },
  proof: {
    password: 'Su contraseña',
    passwordHelp: 'O, sin ella:',
    signIn: 'Iniciar sesión de nuevo',
    signInText:
      'Esto no se puede hacer solo con un navegador abierto. Inicie sesión otra vez y vuelva; entonces tiene diez minutos.',
  },
  dataExport: {
    title: 'Sus datos',
    text: 'Un ZIP con todo lo que tiene esta cuenta: perfil, claves de API sin sus secretos, solicitudes y sus costes, el extracto del monedero, sesiones, actividad, condiciones aceptadas y cuentas vinculadas. Se prepara en segundo plano y se guarda un día, solo para usted.',
    action: 'Preparar el archivo',
    again: 'Preparar otro',
    asked: 'El archivo se está preparando. Puede dejar esta página y volver.',
    waiting: (requests) =>
      `El archivo se está preparando: ${requests} solicitudes hasta ahora. Puede dejar esta página y volver.`,
    download: (megabytes) => `Descargar (${megabytes} MB)`,
    until: 'Se elimina',
    failed: 'No se pudo preparar el archivo. Inténtelo otra vez, o dígaselo a quien lleva este servicio.',
  },
  deletion: {
    title: 'Eliminar la cuenta',
    text: 'Su nombre y su dirección, sus claves de API, formas de acceso, sesiones e invitaciones desaparecen enseguida y para siempre. Lo pagado y lo cobrado queda en los libros, con un nombre que no designa a nadie.',
    left: (sum) =>
      `Quedan ${sum} en su monedero, que nadie podrá usar después. Gástelos antes, o pídalos a quien lleva este servicio.`,
    email: (email) => `Escriba ${email} para confirmar`,
    action: 'Eliminar definitivamente',
    done: 'Su cuenta está eliminada.',
    obstacles: {
      last_owner: 'Usted es el último propietario de esta plataforma. Dé antes ese rol a otra persona.',
      pays_for_others:
        'Su monedero paga por otras personas de su organización. Pida antes a un administrador que nombre a otra persona que pague.',
      declared:
        'Esta cuenta figura en el archivo de configuración del servidor. Pida antes a quien administra este servicio que la quite de allí.',
    },
  },
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
