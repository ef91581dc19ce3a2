/** Français : arrêter des messages par leur lien, et les webhooks. */
import type { WebhooksWords } from './en.ts';

export const fr = {
  stop: {
    title: 'Arrêter ces messages ?',
    text: (email: string, kind: string) =>
      `${email} ne sera plus informé de ceci : ${kind}. Les messages d’autres genres continuent.`,
    action: 'Arrêter ces messages',
    stopped: 'Ces messages sont arrêtés',
    stoppedText: (email: string, kind: string) =>
      `${email} ne reçoit plus de messages de ce genre : ${kind}. Le titulaire du compte peut les réactiver dans ses paramètres.`,
    settings: 'Vers les paramètres',
    over: 'Ce lien n’est plus valable',
    overText: 'Il est incomplet, ou son contact n’existe plus, ce qui met fin à tous ses messages.',
    kinds: {
      new_account: 'un nouveau compte',
      payment: 'les paiements reçus',
      payment_approved: 'les paiements approuvés',
      payment_cancelled: 'les paiements annulés',
      out_of_money_soon: 'un solde, un crédit ou un budget qui devient bas',
      out_of_money_very_soon: 'un solde, un crédit ou un budget presque épuisé',
      trial_expire_soon: 'un crédit offert qui se termine bientôt',
      trial_expire: 'un crédit offert qui est terminé',
      subscription_expire_soon: 'les clés API qui expirent dans la semaine',
      subscription_expire_very_soon: 'les clés API qui expirent dans la journée',
      subscription_expire: 'les clés API qui ont expiré',
      stop_servers: 'les fournisseurs et webhooks qui ne fonctionnent plus',
    },
  },
} satisfies WebhooksWords;
