/** The notifications room: what people are told by mail, how it reaches them, and who is to be told of what. */

export type { EventKind } from '../storage/events.ts';
export type { AccountList, ListedPage } from '../storage/listing.ts';
export { type Contact, contactAddress, contactFields, contactList, uuidOfAddress } from './contact.ts';
export { readContactMatrix, type ToldContact } from './contact-matrix.ts';
export { changeContact, createContacts, findContact, removeContact } from './contacts.ts';
export { type DeliveryState, readDeliveryState } from './delivery-state.ts';
export { kindsWithoutEvent, webhookEvents } from './event-kinds.ts';
export { EventSpreader } from './event-spreader.ts';
export { forgetTold, holdEventsOf } from './forget-person.ts';
export { type KeptMail, KeptMails } from './kept-mails.ts';
export type { MailNews } from './mail-kinds.ts';
export { MailSender } from './mail-sender.ts';
export { readSender, type Sender } from './mailer.ts';
export { type MailerSettings, openMailer } from './open-mailer.ts';
export { type MailQueue, Outbox } from './outbox.ts';
export { type KindGroup, preferenceKinds } from './preference-kinds.ts';
export { changePreferences, media, type Preference, preferenceList } from './preferences.ts';
export { resealFormerWebhooks, resealMails, resealWebhooks } from './reseal.ts';
export { listSentMails, type SentMail } from './sent-mails.ts';
export { findSubscription, unsubscribe, unsubscribePath } from './unsubscribe.ts';
export { listDeliveries, redeliver, tryWebhook, type WebhookDelivery } from './webhook-history.ts';
export type { WebhookNetwork } from './webhook-request.ts';
export { WebhookSender } from './webhook-sender.ts';
export {
  type CheckedWebhook,
  changeWebhook,
  checkWebhook,
  createWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  mostWebhooks,
  resumeWebhook,
  rotateWebhookSecret,
  stateOfWebhook,
  type Webhook,
  type WebhookScope,
  webhookFormats,
} from './webhooks.ts';
