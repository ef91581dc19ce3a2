/** Por qué no se hizo algo, y qué hacer. */
import type { ErrorsWords } from './en.ts';

export const es: ErrorsWords = {
  tooManyAttempts: (seconds) => `Hubo demasiados intentos. Vuelva a intentarlo en ${seconds} segundos.`,
  sentences: {
    not_signed_in: 'Inicie sesión primero.',
    not_allowed: 'Su rol no lo permite. Consulte a un administrador de su organización.',
    cross_site:
      'La petición venía de una página de otro sitio, así que no se hizo nada. Hágala en una página de este.',
    sign_in_elsewhere:
      'Quienes tienen este dominio de correo inician sesión solo con el proveedor de su organización. Use su botón en la página de inicio de sesión.',
    proof_needed: 'Muestre otra vez quién es: escriba su contraseña, o inicie sesión de nuevo.',
    email_unverified:
      'Su dirección de correo aún no está verificada. Siga primero el enlace del mensaje que recibió.',
    account_suspended: 'Su cuenta está suspendida. Pregunte el motivo a su administrador.',
    account_archived: 'Su cuenta está cerrada.',
    wrong_credentials: 'La dirección de correo o la contraseña no es correcta.',
    wrong_code: 'Este código no es correcto o ya se usó.',
    first_step_over: 'Tardó demasiado o hubo demasiados códigos erróneos. Inicie sesión de nuevo.',
    terms_not_accepted: 'Las condiciones han cambiado. Acéptelas primero.',
    link_over: 'Este enlace ya no funciona. Pida otro correo.',
    conflict: 'Esto ha cambiado entretanto. Vuelva a cargar la página.',
    validation_failed: 'Alguno de los datos no puede usarse. Junto al campo se indica el motivo.',
    body_too_large: 'Era más de lo que aquí se acepta. Envíe menos.',
    request_timeout: 'El envío llegó demasiado despacio. Vuelva a intentarlo.',
    malformed_request: 'El envío se interrumpió. Vuelva a intentarlo.',
    malformed_json: 'El contenido no es JSON válido.',
    server_busy: 'El servidor está ocupado. Vuelva a intentarlo en un momento.',
    database_unavailable:
      'No se puede acceder a la base de datos. No se ha perdido nada; vuelva a intentarlo en unos segundos.',
    internal_error: 'Algo falló por nuestra parte. Vuelva a intentarlo en un momento.',
  },
  fields: {
    kind_of_tokens: 'Los tipos son solo de tokens.',
    labels_apart: 'Las etiquetas y los usuarios finales se suman aparte: pida uno de los dos.',
    span_empty: 'El periodo debe empezar antes de su fin y antes de ahora.',
    span_long: 'Un periodo tiene como máximo 1.000 días.',
    no_hours:
      'Las horas abarcan 32 días como máximo, y ni etiquetas y usuarios finales ni personas junto con modelos.',
    too_short: 'Hacen falta al menos 8 caracteres.',
    too_long: 'Se admiten como máximo 128 caracteres.',
    too_common: 'Es una de las contraseñas que se adivinan primero. Elija otra.',
    same_address: 'Esta ya es su dirección.',
    too_deep: 'Tiene más niveles de los que se aceptan.',
    too_large: 'Es más grande de lo que se acepta.',
    not_text: 'Tiene caracteres que no se pueden guardar.',
    last_owner: 'Usted es el último propietario de esta plataforma. Dé antes ese papel a otra persona.',
    pays_for_others:
      'Su monedero paga por otras personas de su organización. Haga nombrar antes a otra persona que pague.',
    declared: 'El archivo de configuración declara esta cuenta y la crearía de nuevo. Quítela antes de allí.',
    other_email: 'Esta no es la dirección de su cuenta.',
    wrong: 'Esta no es su contraseña.',
    terms: 'Sin su consentimiento a las condiciones no se puede crear una cuenta.',
    taken: 'Ya está ocupado. Elija otra cosa.',
    over: 'Esta invitación ya no funciona. Pida otra.',
    other_address: 'Esta invitación es para otra dirección de correo.',
    other_organisation: 'Ya pertenece a otra organización.',
    missing: 'Este dato es necesario.',
    not_granted: 'No puede conceder este rol.',
    not_found: 'No puede invitar a ese lugar.',
  },
  refused: 'Esto no es posible',
};
