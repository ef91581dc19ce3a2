/** Español: crear una cuenta y entrar en ella. */
import type { AccountsWords } from './en.ts';

export const es = {
  field: {
    email: 'Dirección de correo',
    password: 'Contraseña',
    newPassword: 'Contraseña nueva',
    name: 'Su nombre',
    organisation: 'Nombre de su organización',
  },
  help: {
    password: 'Al menos 8 caracteres. Van bien unas palabras que no tengan nada que ver entre sí.',
    name: 'Como lo ven sus colegas.',
    organisation: 'Para quién opera este servicio. Se puede cambiar más tarde.',
  },
  login: {
    title: (brand) => `Iniciar sesión en ${brand}`,
    action: 'Iniciar sesión',
    forgot: '¿Olvidó su contraseña?',
    noAccount: '¿Aún no tiene cuenta?',
    create: 'Crear una cuenta',
  },
  signup: {
    title: 'Crear una cuenta',
    action: 'Crear la cuenta',
    hasAccount: '¿Ya tiene una cuenta?',
    signIn: 'Iniciar sesión',
    invited: (place, email) => `Le han invitado a ${place}, con esta dirección: ${email}.`,
    terms: (terms, use, privacy) => ['Acepto las ', terms, ', la ', use, ' y la ', privacy, '.'],
    termsLink: 'condiciones de uso',
    useLink: 'política de uso aceptable',
    privacyLink: 'política de privacidad',
    joined: (brand) => `Bienvenido a ${brand}.`,
  },
  elsewhere: {
    title: (host) => `No puede iniciar sesión en ${host}`,
    text: (host) =>
      `En ${host} solo inician sesión las personas de su propia organización, y nadie que administre la plataforma: quien lleva esa dirección podría actuar en su nombre. Inicie sesión en la dirección principal.`,
    action: (address) => `Iniciar sesión en ${address}`,
  },
  sent: {
    title: 'Mire su correo',
    verification:
      'Un correo va de camino a la dirección que ha dado. Siga su enlace en un plazo de 24 horas y escriba su contraseña una vez más.',
    reset:
      'Si existe una cuenta con esta dirección, un correo va de camino. Su enlace vale durante una hora.',
    late: 'Puede tardar unos minutos. Mire también entre los correos no deseados.',
    back: 'Al inicio de sesión',
  },
  verify: {
    title: 'Confirme su dirección de correo',
    ask: (email) => `Escriba la contraseña que eligió al crear la cuenta de ${email}.`,
    action: 'Confirmar e iniciar sesión',
    notYours:
      '¿No ha creado usted esta cuenta? Entonces no haga nada y seguirá cerrada. Para usarla usted mismo, elija una contraseña nueva con el enlace de arriba.',
    otherSession: (email) =>
      `Ha iniciado sesión como ${email}. El enlace es para otra cuenta: cierre la sesión y ábralo de nuevo.`,
    done: 'Su dirección de correo está confirmada',
    doneText: (email) => `${email} está confirmada. No hace falta nada más.`,
    doneMessage: 'Su dirección de correo está confirmada.',
    over: 'Este enlace ya no funciona',
    overText:
      'Un enlace confirma una dirección en las 24 horas siguientes al correo. Pida que se le envíe otro:',
    waiting: 'Su dirección de correo aún no está confirmada',
    waitingText: (email) =>
      `Sus claves de API funcionarán en cuanto lo esté. Siga el enlace del correo enviado a ${email}.`,
    again: 'Enviar el correo otra vez',
    sentMessage: 'Si la dirección aún está por confirmar, otro correo va de camino.',
    continue: 'Abrir el panel',
    signIn: 'Iniciar sesión',
  },
  forgot: {
    title: 'Elegir una contraseña nueva',
    text: 'Indique la dirección de su cuenta. Allí llegará un correo con un enlace.',
    action: 'Enviar el correo',
  },
  reset: {
    title: 'Elegir una contraseña nueva',
    text: (email) => `Para ${email}. Se cerrará la sesión en todos los navegadores.`,
    action: 'Guardar e iniciar sesión',
    done: 'Su contraseña ha cambiado, y la sesión está cerrada en los demás navegadores.',
    over: 'Este enlace ya no funciona',
    overText:
      'Un enlace cambia una contraseña una sola vez, en la hora siguiente al correo. Pida que se le envíe otro.',
    again: 'Enviar otro correo',
  },
  invite: {
    title: (place) => `Le han invitado a ${place}`,
    text: (inviter, place) => `${inviter} le invita a unirse a ${place}.`,
    role: 'Rol',
    department: 'Departamento',
    address: 'Para la dirección',
    until: 'Hasta',
    join: (place) => `Unirse a ${place}`,
    signIn: 'Iniciar sesión y unirse',
    create: 'Crear una cuenta',
    otherAddress: (email) =>
      `Ha iniciado sesión como ${email}. La invitación es para la dirección de arriba: cierre la sesión y ábrala de nuevo.`,
    signOut: 'Cerrar sesión',
    joined: (place) => `Ahora pertenece a ${place}.`,
    over: 'Esta invitación ya no funciona',
    overText:
      'Una invitación funciona una sola vez, durante siete días. Puede que se haya usado o retirado. Pida otra a quien le invitó.',
    platform: 'la administración de esta plataforma',
  },
  roles: {
    platform_owner: 'Propietario de la plataforma',
    platform_admin: 'Administración de la plataforma',
    org_owner: 'Propietario de la organización',
    org_admin: 'Administración de la organización',
    department_admin: 'Administración del departamento',
    member: 'Miembro',
  },
  legal: {
    title: 'Las condiciones han cambiado',
    first: 'Antes de continuar',
    text: (terms, use, privacy) => [
      'Lea, por favor, las ',
      terms,
      ', la ',
      use,
      ' y la ',
      privacy,
      '. Podrá usar su cuenta en cuanto las haya aceptado.',
    ],
    version: (version) => `Versión del ${version}`,
    action: 'Aceptar y continuar',
    done: 'Ha aceptado las condiciones.',
    signOut: 'Cerrar sesión',
  },
  welcome: {
    title: 'Bienvenido a Sluice',
    text: (email) =>
      `Esta cuenta, ${email}, es dueña de todo aquí. Dele una contraseña, y un nombre a su organización.`,
    action: 'Guardar y continuar',
    later: 'Más tarde',
    anotherLink: 'O abra otro enlace de inicio de sesión. En la máquina de este servicio se crea con:',
    done: 'Desde ahora puede iniciar sesión con su contraseña.',
  },
} satisfies AccountsWords;
