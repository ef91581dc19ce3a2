/** El segundo factor y las llaves de acceso: al iniciar sesión y en los ajustes. */
import type { FactorsWords } from './en.ts';

export const es = {
  step: {
    title: 'Introduzca su código',
    text: 'Su aplicación de autenticación muestra seis cifras. Si no la tiene a mano, introduzca uno de sus códigos de recuperación.',
    code: 'Código',
    action: 'Continuar',
    back: 'Iniciar sesión con otra cuenta',
  },
  enter: {
    action: 'Usar una llave de acceso',
    failed: 'La llave de acceso no se aceptó. Vuelva a intentarlo o inicie sesión con su contraseña.',
  },
  codes: {
    title: 'Inicio de sesión en dos pasos',
    off: 'Después de la contraseña se le pide un código de una aplicación de su teléfono, de modo que la contraseña sola no sirve de nada.',
    on: 'Después de la contraseña se le pide un código de su aplicación.',
    left: (count) => `Quedan ${count}.`,
    leftForms: { one: 'código de recuperación', other: 'códigos de recuperación' },
    begin: 'Configurar',
    code: 'Código de la aplicación o de recuperación',
    renew: 'Códigos de recuperación nuevos',
    remove: 'Desactivar',
    removed: 'Desde ahora inicia sesión solo con su contraseña.',
  },
  setUp: {
    title: 'Configurar el inicio de sesión en dos pasos',
    scan: 'Escanee esto con una aplicación de autenticación y después introduzca el código que muestre.',
    picture: 'La imagen para escanear',
    secret: 'O introduzca esta clave a mano:',
    code: 'Código de la aplicación',
    action: 'Activar',
  },
  recovery: {
    title: 'Sus códigos de recuperación',
    text: 'Guárdelos donde los encuentre sin su teléfono. Cada uno sirve una vez, y solo se muestran ahora.',
    action: 'Los he guardado',
  },
  passkeys: {
    title: 'Llaves de acceso',
    text: 'Con una llave de acceso inicia sesión con su huella, su cara o el código de su dispositivo, sin contraseña.',
    script: 'Para añadir una hace falta un script que su navegador no ejecuta aquí.',
    name: 'Nombre',
    unnamed: 'Llave de acceso',
    added: 'Añadida',
    used: 'Último uso',
    never: 'nunca',
    add: 'Añadir una llave de acceso',
    remove: 'Quitar',
    removed: 'La llave de acceso se ha quitado.',
    isAdded: 'La llave de acceso se ha añadido. Desde ahora puede iniciar sesión con ella.',
    failed: 'No se añadió ninguna llave de acceso. Vuelva a intentarlo o use otro dispositivo.',
  },
} satisfies FactorsWords;
