/** English. */
import { button, type MailTexts, note, paragraph, rows, timesIn, type WaysChanged } from '../mail-text.ts';
import { enEvents } from './events/en.ts';

const { moment, duration } = timesIn('en');

const waysChanged: WaysChanged = {
  passkey_added: 'Passkey added',
  passkey_removed: 'Passkey removed',
  provider_linked: 'Account at a provider linked',
  provider_unlinked: 'Account at a provider unlinked',
  two_step_on: 'Two-step sign-in turned on',
  two_step_off: 'Two-step sign-in turned off',
  recovery_codes_renewed: 'New recovery codes',
};

export const en: MailTexts = {
  orOpen: 'Or open this address:',
  sentBy: (service) => `Sent by ${service} because of something that happened with this address.`,
  subscribed: (account) => `You get this because this address is a contact of the account ${account}.`,
  unsubscribe: 'Stop mails of this kind:',
  lastOfDay:
    'This address was sent as many mails today as one contact gets. What else happens within the next hours is not sent to it, and stands in the account.',
  kinds: {
    ...enEvents,
    verify_address: ({ link, lifetimeMs }, service) => ({
      subject: 'Confirm your e-mail address',
      blocks: [
        paragraph(
          `Somebody, most likely you, made an account at ${service} with this address. It works once the address is confirmed.`,
        ),
        button('Confirm the address', link),
        note(
          `The link works once, within ${duration(lifetimeMs)}. If it was not you, do nothing: without confirmation the account stays closed.`,
        ),
      ],
    }),
    address_taken: ({ signInLink, resetLink }, service) => ({
      subject: 'You have an account already',
      blocks: [
        paragraph(
          `Somebody, most likely you, wanted to make an account at ${service} with this address. It has one already, and nothing was changed.`,
        ),
        button('Sign in', signInLink),
        rows(['Password forgotten?', resetLink]),
        note('If it was not you, there is nothing to do.'),
      ],
    }),
    reset_password: ({ link, lifetimeMs }, service) => ({
      subject: 'Choose a new password',
      blocks: [
        paragraph(`A new password was asked for at ${service} for the account with this address.`),
        button('Choose a new password', link),
        note(
          `The link works once, within ${duration(lifetimeMs)}. If it was not you, do nothing: your password stays as it is.`,
        ),
      ],
    }),
    password_changed: ({ atMs, resetLink, passkeys, providers, waysLink }, service) => ({
      subject: 'Your password was changed',
      blocks: [
        paragraph(
          `The password of your account at ${service} was changed on ${moment(atMs)}. All other sessions were signed out.`,
        ),
        paragraph('If that was you, there is nothing to do. If not, choose a new password at once:'),
        button('Choose a new password', resetLink),
        ...(waysLink === null || passkeys + providers === 0
          ? []
          : [
              paragraph(
                'The other ways to sign in to your account stay as they were. Remove those you do not know:',
              ),
              rows(['Passkeys', String(passkeys)], ['Accounts at providers', String(providers)]),
              button('See the ways to sign in', waysLink),
            ]),
      ],
    }),
    invitation: ({ link, lifetimeMs, inviter, organisation }, service) => ({
      subject: `${inviter} invites you to ${organisation}`,
      blocks: [
        paragraph(`${inviter} would like you to join ${organisation} at ${service}.`),
        button('See the invitation', link),
        note(
          `The link works once, within ${duration(lifetimeMs)}. If you do not know who this is, do nothing.`,
        ),
      ],
    }),
    new_sign_in: ({ atMs, device, address, sessionsLink }, service) => ({
      subject: `New sign-in at ${service}`,
      blocks: [
        paragraph('Your account was signed in to from a browser that we have not seen before.'),
        rows(['Time', moment(atMs)], ['Browser', device], ['Network address', address]),
        paragraph(
          'If that was you, there is nothing to do. If not, sign that session out and change your password:',
        ),
        button('See your sessions', sessionsLink),
      ],
    }),
    codes_guessed: ({ atMs, address, resetLink }, service) => ({
      subject: `Wrong sign-in codes at ${service}`,
      blocks: [
        paragraph(
          'Somebody got past the first step of signing in to your account, which most often means that they know your password, and then entered five wrong codes. They were not let in.',
        ),
        rows(['Time', moment(atMs)], ['Network address', address]),
        paragraph('If that was you, there is nothing to do. If not, choose a new password at once:'),
        button('Choose a new password', resetLink),
        note('While it goes on, this is told once a day.'),
      ],
    }),
    sign_in_changed: ({ change, atMs, what, waysLink }, service) => ({
      subject: `A way to sign in to your account at ${service} was changed`,
      blocks: [
        paragraph('A way to sign in to your account was added, renewed or removed.'),
        rows(
          ['Time', moment(atMs)],
          ['Change', waysChanged[change]],
          ...(what === '' ? [] : [['Name', what] as const]),
        ),
        paragraph(
          'If that was you, there is nothing to do. If not, remove what you do not know and choose a new password:',
        ),
        button('See the ways to sign in', waysLink),
      ],
    }),
    change_address: ({ link, lifetimeMs }, service) => ({
      subject: 'Confirm your new e-mail address',
      blocks: [
        paragraph(`Somebody, most likely you, wants this to be the address of their account at ${service}.`),
        button('See the change', link),
        note(
          `The link works once, within ${duration(lifetimeMs)}, where you are signed in. If it was not you, do nothing: nothing changes.`,
        ),
      ],
    }),
    account_deleted: ({ atMs }, service) => ({
      subject: 'Your account was deleted',
      blocks: [
        paragraph(
          `Your account at ${service} was deleted on ${moment(atMs)}. Your API keys have stopped working.`,
        ),
        paragraph(
          'What you paid and were charged stays in the books, without your name and address. This is the last mail of this account.',
        ),
        note('If that was not you, tell whoever runs this service at once.'),
      ],
    }),
    address_changed: ({ atMs, newAddress }, service) => ({
      subject: 'The e-mail address of your account was changed',
      blocks: [
        paragraph(`Your account at ${service} no longer belongs to this address.`),
        rows(['Time', moment(atMs)], ['New address', newAddress]),
        paragraph(
          'If that was you, there is nothing to do. If not, tell the administrator of your organisation at once.',
        ),
      ],
    }),
  },
};
