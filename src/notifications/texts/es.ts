/** Español. */
import { button, type MailTexts, note, paragraph, rows, timesIn, type WaysChanged } from '../mail-text.ts';
import { esEvents } from './events/es.ts';

const { moment, duration } = timesIn('es');

const waysChanged: WaysChanged = {
  passkey_added: 'Llave de acceso añadida',
  passkey_removed: 'Llave de acceso quitada',
  provider_linked: 'Cuenta de un proveedor vinculada',
  provider_unlinked: 'Cuenta de un proveedor desvinculada',
  two_step_on: 'Inicio de sesión en dos pasos activado',
  two_step_off: 'Inicio de sesión en dos pasos desactivado',
  recovery_codes_renewed: 'Códigos de recuperación nuevos',
};

export const es: MailTexts = {
  orOpen: 'O abra esta dirección:',
  sentBy: (service) => `Enviado por ${service} a raíz de algo ocurrido con esta dirección.`,
  subscribed: (account) =>
    `Recibe este mensaje porque esta dirección es un contacto de la cuenta ${account}.`,
  unsubscribe: 'Dejar de recibir mensajes de este tipo:',
  lastOfDay:
    'Esta dirección ha recibido hoy tantos correos como recibe un contacto. Lo que ocurra en las próximas horas no se le enviará y se puede ver en la cuenta.',
  kinds: {
    ...esEvents,
    verify_address: ({ link, lifetimeMs }, service) => ({
      subject: 'Confirme su dirección de correo',
      blocks: [
        paragraph(
          `Alguien, seguramente usted, ha creado una cuenta en ${service} con esta dirección. Se podrá usar cuando la dirección esté confirmada.`,
        ),
        button('Confirmar la dirección', link),
        note(
          `El enlace funciona una sola vez, durante ${duration(lifetimeMs)}. Si no ha sido usted, no haga nada: sin confirmación, la cuenta sigue cerrada.`,
        ),
      ],
    }),
    address_taken: ({ signInLink, resetLink }, service) => ({
      subject: 'Ya tiene una cuenta',
      blocks: [
        paragraph(
          `Alguien, probablemente usted, ha querido crear una cuenta en ${service} con esta dirección. Ya tiene una, y no se ha cambiado nada.`,
        ),
        button('Iniciar sesión', signInLink),
        rows(['¿Olvidó su contraseña?', resetLink]),
        note('Si no ha sido usted, no hay nada que hacer.'),
      ],
    }),
    reset_password: ({ link, lifetimeMs }, service) => ({
      subject: 'Elija una contraseña nueva',
      blocks: [
        paragraph(`Se ha pedido en ${service} una contraseña nueva para la cuenta con esta dirección.`),
        button('Elegir una contraseña nueva', link),
        note(
          `El enlace funciona una sola vez, durante ${duration(lifetimeMs)}. Si no ha sido usted, no haga nada: su contraseña sigue igual.`,
        ),
      ],
    }),
    password_changed: ({ atMs, resetLink, passkeys, providers, waysLink }, service) => ({
      subject: 'Su contraseña ha cambiado',
      blocks: [
        paragraph(
          `La contraseña de su cuenta en ${service} se cambió el ${moment(atMs)}. Se han cerrado todas las demás sesiones.`,
        ),
        paragraph('Si ha sido usted, no tiene que hacer nada. Si no, elija enseguida una contraseña nueva:'),
        button('Elegir una contraseña nueva', resetLink),
        ...(waysLink === null || passkeys + providers === 0
          ? []
          : [
              paragraph(
                'Las demás formas de iniciar sesión en su cuenta siguen igual. Quite lo que no conozca:',
              ),
              rows(['Llaves de acceso', String(passkeys)], ['Cuentas de proveedores', String(providers)]),
              button('Ver las formas de iniciar sesión', waysLink),
            ]),
      ],
    }),
    invitation: ({ link, lifetimeMs, inviter, organisation }, service) => ({
      subject: `${inviter} le invita a ${organisation}`,
      blocks: [
        paragraph(`${inviter} quiere que se una a ${organisation} en ${service}.`),
        button('Ver la invitación', link),
        note(
          `El enlace funciona una sola vez, durante ${duration(lifetimeMs)}. Si no sabe de qué se trata, no haga nada.`,
        ),
      ],
    }),
    new_sign_in: ({ atMs, device, address, sessionsLink }, service) => ({
      subject: `Nuevo inicio de sesión en ${service}`,
      blocks: [
        paragraph('Se ha iniciado sesión en su cuenta desde un navegador que no conocíamos.'),
        rows(['Fecha', moment(atMs)], ['Navegador', device], ['Dirección de red', address]),
        paragraph(
          'Si ha sido usted, no tiene que hacer nada. Si no, cierre esa sesión y cambie su contraseña:',
        ),
        button('Ver sus sesiones', sessionsLink),
      ],
    }),
    codes_guessed: ({ atMs, address, resetLink }, service) => ({
      subject: `Códigos de inicio de sesión erróneos en ${service}`,
      blocks: [
        paragraph(
          'Alguien ha superado el primer paso del inicio de sesión en su cuenta, por lo que probablemente conoce su contraseña, y después ha introducido cinco códigos erróneos. No ha entrado nadie.',
        ),
        rows(['Fecha', moment(atMs)], ['Dirección de red', address]),
        paragraph('Si ha sido usted, no tiene que hacer nada. Si no, elija enseguida una contraseña nueva:'),
        button('Elegir una contraseña nueva', resetLink),
        note('Mientras continúe, se le avisará una vez al día.'),
      ],
    }),
    sign_in_changed: ({ change, atMs, what, waysLink }, service) => ({
      subject: `Ha cambiado una forma de iniciar sesión en su cuenta de ${service}`,
      blocks: [
        paragraph('Se ha añadido, renovado o quitado una forma de iniciar sesión en su cuenta.'),
        rows(
          ['Fecha', moment(atMs)],
          ['Cambio', waysChanged[change]],
          ...(what === '' ? [] : [['Nombre', what] as const]),
        ),
        paragraph(
          'Si ha sido usted, no tiene que hacer nada. Si no, quite lo que no conozca y elija una contraseña nueva:',
        ),
        button('Ver las formas de iniciar sesión', waysLink),
      ],
    }),
    change_address: ({ link, lifetimeMs }, service) => ({
      subject: 'Confirme su nueva dirección de correo',
      blocks: [
        paragraph(`Alguien, seguramente usted, quiere que esta sea la dirección de su cuenta en ${service}.`),
        button('Ver el cambio', link),
        note(
          `El enlace vale una vez, durante ${duration(lifetimeMs)}, donde tenga la sesión iniciada. Si no fue usted, no haga nada: nada cambia.`,
        ),
      ],
    }),
    account_deleted: ({ atMs }, service) => ({
      subject: 'Su cuenta se ha eliminado',
      blocks: [
        paragraph(
          `Su cuenta en ${service} se eliminó el ${moment(atMs)}. Sus claves de API ya no funcionan.`,
        ),
        paragraph(
          'Lo que pagó y lo que se le cobró queda en los libros, sin su nombre ni su dirección. Este es el último correo de esta cuenta.',
        ),
        note('Si no fue usted, dígaselo enseguida a quien lleva este servicio.'),
      ],
    }),
    address_changed: ({ atMs, newAddress }, service) => ({
      subject: 'La dirección de correo de su cuenta ha cambiado',
      blocks: [
        paragraph(`Su cuenta en ${service} ya no pertenece a esta dirección.`),
        rows(['Fecha', moment(atMs)], ['Dirección nueva', newAddress]),
        paragraph(
          'Si ha sido usted, no tiene que hacer nada. Si no, avise enseguida a la administración de su organización.',
        ),
      ],
    }),
  },
};
