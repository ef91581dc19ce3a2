/** Deutsch: Mails über ihren Link abbestellen, und Webhooks. */
import type { WebhooksWords } from './en.ts';

export const de = {
  stop: {
    title: 'Diese Mails abbestellen?',
    text: (email: string, kind: string) =>
      `${email} erfährt davon nichts mehr: ${kind}. Mails anderer Art kommen weiter.`,
    action: 'Diese Mails abbestellen',
    stopped: 'Diese Mails sind abbestellt',
    stoppedText: (email: string, kind: string) =>
      `${email} bekommt keine Mails dieser Art mehr: ${kind}. Wem das Konto gehört, kann sie in den Einstellungen wieder einschalten.`,
    settings: 'Zu den Einstellungen',
    over: 'Dieser Link gilt nicht mehr',
    overText:
      'Er ist nicht vollständig, oder seinen Kontakt gibt es nicht mehr; dann kommen auch keine Mails mehr.',
    kinds: {
      new_account: 'ein neues Konto',
      payment: 'eingegangene Zahlungen',
      payment_approved: 'bestätigte Zahlungen',
      payment_cancelled: 'zurückgenommene Zahlungen',
      out_of_money_soon: 'Guthaben, Kredit oder Budget gehen zur Neige',
      out_of_money_very_soon: 'Guthaben, Kredit oder Budget sind fast aufgebraucht',
      trial_expire_soon: 'Gutschriften, die bald enden',
      trial_expire: 'Gutschriften, die zu Ende sind',
      subscription_expire_soon: 'API-Schlüssel, die in einer Woche ablaufen',
      subscription_expire_very_soon: 'API-Schlüssel, die in einem Tag ablaufen',
      subscription_expire: 'abgelaufene API-Schlüssel',
      stop_servers: 'Anbieter und Webhooks, die nicht mehr arbeiten',
    },
  },
} satisfies WebhooksWords;
