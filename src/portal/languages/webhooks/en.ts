/** Having mails stopped by their link, and webhooks. */

export const en = {
  stop: {
    title: 'Stop these mails?',
    text: (email: string, kind: string) =>
      `${email} is no longer told of this: ${kind}. Mails of other kinds go on.`,
    action: 'Stop these mails',
    stopped: 'These mails are stopped',
    stoppedText: (email: string, kind: string) =>
      `${email} gets no mails of this kind any more: ${kind}. Whoever has the account can switch them on again in its settings.`,
    settings: 'To the settings',
    over: 'This link does not work any more',
    overText: 'It is not whole, or its contact is gone, which ends all mails to it.',
    kinds: {
      new_account: 'a new account',
      payment: 'payments that came in',
      payment_approved: 'payments that were approved',
      payment_cancelled: 'payments that were taken back',
      out_of_money_soon: 'a balance, credit or budget that is getting low',
      out_of_money_very_soon: 'a balance, credit or budget that is almost used up',
      trial_expire_soon: 'credit that ends soon',
      trial_expire: 'credit that has ended',
      subscription_expire_soon: 'API keys that expire within a week',
      subscription_expire_very_soon: 'API keys that expire within a day',
      subscription_expire: 'API keys that have expired',
      stop_servers: 'providers and webhooks that stopped working',
    },
  },
};

export type WebhooksWords = typeof en;
