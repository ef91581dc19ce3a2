/** Français. */
import { button, type MailTexts, note, paragraph, rows, timesIn, type WaysChanged } from '../mail-text.ts';
import { frEvents } from './events/fr.ts';

const { moment, duration } = timesIn('fr');

const waysChanged: WaysChanged = {
  passkey_added: 'Clé d’accès ajoutée',
  passkey_removed: 'Clé d’accès retirée',
  provider_linked: 'Compte chez un fournisseur associé',
  provider_unlinked: 'Compte chez un fournisseur dissocié',
  two_step_on: 'Connexion en deux étapes activée',
  two_step_off: 'Connexion en deux étapes désactivée',
  recovery_codes_renewed: 'Nouveaux codes de secours',
};

export const fr: MailTexts = {
  orOpen: 'Ou ouvrez cette adresse :',
  sentBy: (service) => `Envoyé par ${service} à la suite d’un événement lié à cette adresse.`,
  subscribed: (account) =>
    `Vous recevez ce message parce que cette adresse est un contact du compte ${account}.`,
  unsubscribe: 'Ne plus recevoir d’e-mails de ce type :',
  lastOfDay:
    'Cette adresse a reçu aujourd’hui autant de messages qu’un contact en reçoit. La suite des prochaines heures ne lui sera pas envoyée et se trouve dans le compte.',
  kinds: {
    ...frEvents,
    verify_address: ({ link, lifetimeMs }, service) => ({
      subject: 'Confirmez votre adresse e-mail',
      blocks: [
        paragraph(
          `Quelqu’un, sans doute vous, a créé un compte chez ${service} avec cette adresse. Il sera utilisable une fois l’adresse confirmée.`,
        ),
        button('Confirmer l’adresse', link),
        note(
          `Le lien fonctionne une seule fois, pendant ${duration(lifetimeMs)}. Si ce n’était pas vous, ne faites rien : sans confirmation, le compte reste fermé.`,
        ),
      ],
    }),
    address_taken: ({ signInLink, resetLink }, service) => ({
      subject: 'Vous avez déjà un compte',
      blocks: [
        paragraph(
          `Quelqu’un, probablement vous, a voulu créer un compte chez ${service} avec cette adresse. Elle en a déjà un, et rien n’a été changé.`,
        ),
        button('Se connecter', signInLink),
        rows(['Mot de passe oublié ?', resetLink]),
        note('Si ce n’était pas vous, il n’y a rien à faire.'),
      ],
    }),
    reset_password: ({ link, lifetimeMs }, service) => ({
      subject: 'Choisissez un nouveau mot de passe',
      blocks: [
        paragraph(
          `Un nouveau mot de passe a été demandé chez ${service} pour le compte associé à cette adresse.`,
        ),
        button('Choisir un nouveau mot de passe', link),
        note(
          `Le lien fonctionne une seule fois, pendant ${duration(lifetimeMs)}. Si ce n’était pas vous, ne faites rien : votre mot de passe reste inchangé.`,
        ),
      ],
    }),
    password_changed: ({ atMs, resetLink, passkeys, providers, waysLink }, service) => ({
      subject: 'Votre mot de passe a été modifié',
      blocks: [
        paragraph(
          `Le mot de passe de votre compte chez ${service} a été modifié le ${moment(atMs)}. Toutes les autres sessions ont été fermées.`,
        ),
        paragraph(
          'Si c’était vous, il n’y a rien à faire. Sinon, choisissez tout de suite un nouveau mot de passe :',
        ),
        button('Choisir un nouveau mot de passe', resetLink),
        ...(waysLink === null || passkeys + providers === 0
          ? []
          : [
              paragraph(
                'Les autres moyens de se connecter à votre compte sont restés. Retirez ce que vous ne connaissez pas :',
              ),
              rows(['Clés d’accès', String(passkeys)], ['Comptes chez des fournisseurs', String(providers)]),
              button('Voir les moyens de connexion', waysLink),
            ]),
      ],
    }),
    invitation: ({ link, lifetimeMs, inviter, organisation }, service) => ({
      subject: `${inviter} vous invite à rejoindre ${organisation}`,
      blocks: [
        paragraph(`${inviter} souhaite vous accueillir dans ${organisation}, chez ${service}.`),
        button('Voir l’invitation', link),
        note(
          `Le lien fonctionne une seule fois, pendant ${duration(lifetimeMs)}. Si cela ne vous dit rien, ne faites rien.`,
        ),
      ],
    }),
    new_sign_in: ({ atMs, device, address, sessionsLink }, service) => ({
      subject: `Nouvelle connexion chez ${service}`,
      blocks: [
        paragraph('Un navigateur que nous ne connaissons pas encore s’est connecté à votre compte.'),
        rows(['Date', moment(atMs)], ['Navigateur', device], ['Adresse réseau', address]),
        paragraph(
          'Si c’était vous, il n’y a rien à faire. Sinon, fermez cette session et changez votre mot de passe :',
        ),
        button('Voir vos sessions', sessionsLink),
      ],
    }),
    codes_guessed: ({ atMs, address, resetLink }, service) => ({
      subject: `Codes de connexion erronés chez ${service}`,
      blocks: [
        paragraph(
          'Quelqu’un a passé la première étape de connexion à votre compte, et connaît donc sans doute votre mot de passe, puis a saisi cinq codes erronés. Personne n’est entré.',
        ),
        rows(['Date', moment(atMs)], ['Adresse réseau', address]),
        paragraph(
          'Si c’était vous, il n’y a rien à faire. Sinon, choisissez tout de suite un nouveau mot de passe :',
        ),
        button('Choisir un nouveau mot de passe', resetLink),
        note('Tant que cela continue, vous en êtes averti une fois par jour.'),
      ],
    }),
    sign_in_changed: ({ change, atMs, what, waysLink }, service) => ({
      subject: `Un moyen de connexion de votre compte chez ${service} a changé`,
      blocks: [
        paragraph('Un moyen de vous connecter à votre compte a été ajouté, renouvelé ou retiré.'),
        rows(
          ['Date', moment(atMs)],
          ['Changement', waysChanged[change]],
          ...(what === '' ? [] : [['Nom', what] as const]),
        ),
        paragraph(
          'Si c’était vous, il n’y a rien à faire. Sinon, retirez ce que vous ne connaissez pas et choisissez un nouveau mot de passe :',
        ),
        button('Voir les moyens de connexion', waysLink),
      ],
    }),
    change_address: ({ link, lifetimeMs }, service) => ({
      subject: 'Confirmez votre nouvelle adresse e-mail',
      blocks: [
        paragraph(
          `Quelqu’un, sans doute vous, souhaite que ceci soit l’adresse de son compte chez ${service}.`,
        ),
        button('Voir le changement', link),
        note(
          `Le lien sert une fois, pendant ${duration(lifetimeMs)}, là où vous êtes connecté. Si ce n’était pas vous, ne faites rien : rien ne change.`,
        ),
      ],
    }),
    account_deleted: ({ atMs }, service) => ({
      subject: 'Votre compte a été supprimé',
      blocks: [
        paragraph(
          `Votre compte chez ${service} a été supprimé le ${moment(atMs)}. Vos clés API ne fonctionnent plus.`,
        ),
        paragraph(
          'Ce que vous avez payé et ce qui vous a été facturé reste dans les livres, sans votre nom ni votre adresse. C’est le dernier e-mail de ce compte.',
        ),
        note('Si ce n’était pas vous, dites-le tout de suite à qui gère ce service.'),
      ],
    }),
    address_changed: ({ atMs, newAddress }, service) => ({
      subject: 'L’adresse e-mail de votre compte a été modifiée',
      blocks: [
        paragraph(`Votre compte chez ${service} n’est plus associé à cette adresse.`),
        rows(['Date', moment(atMs)], ['Nouvelle adresse', newAddress]),
        paragraph(
          'Si c’était vous, il n’y a rien à faire. Sinon, prévenez tout de suite l’administration de votre organisation.',
        ),
      ],
    }),
  },
};
