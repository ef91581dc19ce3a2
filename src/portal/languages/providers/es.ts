/** Español: iniciar sesión con la cuenta de un proveedor. */
import type { ProvidersWords } from './en.ts';

export const es = {
  or: 'O con una cuenta que ya tiene',
  goOn: (provider) => `Continuar con ${provider}`,
  again: (provider) => `Reintentar con ${provider}`,
  signIn: 'Al inicio de sesión',
  invitation: 'A la invitación',
  goingOn: {
    title: (provider) => `Hacia ${provider}`,
    text: 'Allí muestra quién es, y vuelve. Si no pasa nada, pulse el botón.',
    action: 'Continuar',
  },
  terms: {
    title: 'Un paso antes de crear su cuenta',
    text: (email, provider) =>
      `${provider} dice que usted es ${email}. Todavía no hay ninguna cuenta con esta dirección.`,
    portal: (name, host, organisation) =>
      `Viene de ${name} (${host}). La cuenta pertenecerá a ${organisation}, y usted quedará conectado en ${host}, donde quien gestiona esa dirección podrá actuar en su nombre.`,
    action: 'Aceptar y crear cuenta',
  },
  refused: {
    denied: (provider) => ({
      title: `No ha iniciado sesión en ${provider}`,
      text: `Se detuvo allí, por usted o por ${provider}. Aquí no se ha hecho nada.`,
    }),
    stale: (provider) => ({
      title: 'Este inicio de sesión ya no vale',
      text: `Empezó hace más de diez minutos o en otro navegador, o ya terminó. Empiece de nuevo con ${provider}.`,
    }),
    away: (provider) => ({
      title: `No se puede llegar a ${provider}`,
      text: 'No respondió, o dijo algo que no tiene sentido. Inténtelo en un momento, o inicie sesión de otra manera. Si sigue así, dígaselo a quien lleva este servicio.',
    }),
    unverified_there: (provider) => ({
      title: `${provider} no responde por su dirección de correo`,
      text: `Confirme la dirección en ${provider} y vuelva, o inicie sesión aquí con una contraseña y vincule ${provider} en sus ajustes.`,
    }),
    unverified_here: (provider) => ({
      title: 'Ya hay una cuenta con su dirección',
      text: `Su dirección nunca se confirmó, por eso no se vincula sola con ${provider}. Si la creó usted, siga el enlace del correo que recibió entonces y vincule ${provider} en sus ajustes. Si no, elija una contraseña en «¿Olvidó su contraseña?»: así será suya.`,
    }),
    other_identity: (provider) => ({
      title: `Su cuenta está vinculada a otra cuenta de ${provider}`,
      text: 'Inicie sesión con aquella, o como siempre, y cambie el vínculo en sus ajustes.',
    }),
    other_provider: () => ({
      title: 'Su organización inicia sesión en otro lugar',
      text: 'Quienes tienen su dominio de correo inician sesión solo con el proveedor de su organización. Use su botón en la página de inicio de sesión.',
    }),
    invited_otherwise: (provider) => ({
      title: 'La invitación es para otra dirección',
      text: `Es para una dirección que ${provider} no da como suya. Elija allí la cuenta que tiene la dirección invitada, o abra de nuevo la invitación y cree una cuenta con una contraseña.`,
    }),
    invite_over: () => ({
      title: 'Esta invitación ya no vale',
      text: 'Puede que se haya usado o retirado, o que tenga más de siete días. Pida otra a quien le invitó. No se ha creado ninguna cuenta.',
    }),
  },
  handoff: {
    question: (host) => `¿Continuar a ${host}?`,
    consequence: (email, host) =>
      `Quedará conectado en ${host} como ${email}. Quien gestiona esa dirección podrá entonces actuar en su nombre. Continúe solo si empezó allí usted mismo.`,
    goOn: (host) => `Continuar a ${host}`,
    goingOn: 'Si no ocurre nada, pulse el botón.',
    stay: 'Iniciar sesión aquí',
    notThere: (host) =>
      `Ha iniciado sesión aquí y no en ${host}: allí un proveedor solo da entrada a las personas de su propia organización, y a nadie que administre la plataforma.`,
    title: 'Este inicio de sesión ya no vale',
    text: 'La vuelta funciona una vez, durante poco tiempo, y en el navegador que lo empezó. Empiece de nuevo.',
  },
  settings: {
    provider: 'Proveedor',
    account: 'Cuenta',
    change: 'Cambiar',
    title: 'Iniciar sesión con otras cuentas',
    text: 'Una cuenta vinculada le da entrada aquí.',
    linked: 'La cuenta está vinculada. Desde ahora puede iniciar sesión con ella.',
    taken: 'Esa cuenta está vinculada a otra cuenta aquí, o la suya ya tiene una de este proveedor.',
    link: (provider) => `Vincular ${provider}`,
    unlink: (provider) => `Desvincular ${provider}`,
    unlinked: 'La cuenta ya no está vinculada.',
    none: 'Sin vincular',
  },
} satisfies ProvidersWords;
