/** Español: detener correos por su enlace, y los webhooks. */
import type { WebhooksWords } from './en.ts';

export const es = {
  stop: {
    title: '¿Detener estos correos?',
    text: (email: string, kind: string) =>
      `A ${email} ya no se le avisará de esto: ${kind}. Los correos de otros tipos continúan.`,
    action: 'Detener estos correos',
    stopped: 'Estos correos están detenidos',
    stoppedText: (email: string, kind: string) =>
      `${email} ya no recibe correos de este tipo: ${kind}. Quien tiene la cuenta puede activarlos de nuevo en sus ajustes.`,
    settings: 'A los ajustes',
    over: 'Este enlace ya no funciona',
    overText: 'No está completo, o su contacto ya no existe, lo que pone fin a todos sus correos.',
    kinds: {
      new_account: 'una cuenta nueva',
      payment: 'pagos recibidos',
      payment_approved: 'pagos aprobados',
      payment_cancelled: 'pagos anulados',
      out_of_money_soon: 'un saldo, crédito o presupuesto que se está acabando',
      out_of_money_very_soon: 'un saldo, crédito o presupuesto casi agotado',
      trial_expire_soon: 'un crédito promocional que termina pronto',
      trial_expire: 'un crédito promocional que ha terminado',
      subscription_expire_soon: 'claves de API que caducan en una semana',
      subscription_expire_very_soon: 'claves de API que caducan en un día',
      subscription_expire: 'claves de API que han caducado',
      stop_servers: 'proveedores y webhooks que han dejado de funcionar',
    },
  },
} satisfies WebhooksWords;
