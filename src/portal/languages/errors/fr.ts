/** Pourquoi rien n’a été fait, et que faire. */
import type { ErrorsWords } from './en.ts';

export const fr: ErrorsWords = {
  tooManyAttempts: (seconds) => `Il y a eu trop de tentatives. Réessayez dans ${seconds} secondes.`,
  sentences: {
    not_signed_in: 'Connectez-vous d’abord.',
    not_allowed: 'Votre rôle ne le permet pas. Adressez-vous à un administrateur de votre organisation.',
    cross_site:
      'La demande venait d’une page d’un autre site : rien n’a été fait. Faites-la sur une page d’ici.',
    email_unverified:
      'Votre adresse e-mail n’est pas encore confirmée. Suivez d’abord le lien reçu par e-mail.',
    account_suspended: 'Votre compte est suspendu. Demandez-en la raison à votre administrateur.',
    account_archived: 'Votre compte est fermé.',
    validation_failed:
      'Une des valeurs saisies ne peut pas être utilisée. La raison est indiquée à côté du champ.',
    body_too_large: 'C’était plus que ce qui est accepté ici. Envoyez-en moins.',
    request_timeout: 'L’envoi est arrivé trop lentement. Réessayez.',
    malformed_request: 'L’envoi s’est interrompu. Réessayez.',
    malformed_json: 'Le contenu n’est pas du JSON valide.',
    server_busy: 'Le serveur est occupé. Réessayez dans un instant.',
    database_unavailable:
      'La base de données est injoignable. Rien n’est perdu ; réessayez dans quelques secondes.',
    internal_error: 'Un problème est survenu de notre côté. Réessayez dans un instant.',
  },
  refused: 'Ce n’est pas possible',
};
