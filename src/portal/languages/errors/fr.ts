/** Pourquoi rien n’a été fait, et que faire. */
import type { ErrorsWords } from './en.ts';

export const fr: ErrorsWords = {
  tooManyAttempts: (seconds) => `Il y a eu trop de tentatives. Réessayez dans ${seconds} secondes.`,
  sentences: {
    not_signed_in: 'Connectez-vous d’abord.',
    not_allowed: 'Votre rôle ne le permet pas. Adressez-vous à un administrateur de votre organisation.',
    cross_site:
      'La demande venait d’une page d’un autre site : rien n’a été fait. Faites-la sur une page d’ici.',
    sign_in_elsewhere:
      'Les personnes de ce domaine se connectent seulement par le fournisseur de leur organisation. Prenez son bouton sur la page de connexion.',
    proof_needed: 'Montrez encore une fois qui vous êtes : donnez votre mot de passe, ou reconnectez-vous.',
    email_unverified:
      'Votre adresse e-mail n’est pas encore confirmée. Suivez d’abord le lien reçu par e-mail.',
    account_suspended: 'Votre compte est suspendu. Demandez-en la raison à votre administrateur.',
    account_archived: 'Votre compte est fermé.',
    wrong_credentials: 'L’adresse e-mail ou le mot de passe est incorrect.',
    wrong_code: 'Ce code est faux ou a déjà servi.',
    first_step_over: 'C’était trop long, ou il y a eu trop de codes faux. Reconnectez-vous.',
    terms_not_accepted: 'Les conditions ont changé. Acceptez-les d’abord.',
    link_over: 'Ce lien ne fonctionne plus. Demandez un autre e-mail.',
    conflict: 'Cela a changé entre-temps. Rechargez la page.',
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
  fields: {
    kind_of_tokens: 'Les sortes n’existent que pour les jetons.',
    labels_apart: 'Étiquettes et utilisateurs finaux sont comptés à part : demandez l’un des deux.',
    span_empty: 'La période doit commencer avant sa fin et avant maintenant.',
    span_long: 'Une période compte au plus 1 000 jours.',
    no_hours:
      'Les heures portent sur 32 jours au plus, et ni sur les étiquettes et utilisateurs finaux, ni sur les personnes avec les modèles.',
    too_short: 'Il faut au moins 8 caractères.',
    too_long: '128 caractères au plus sont acceptés.',
    too_common: 'C’est l’un des mots de passe que l’on devine en premier. Choisissez-en un autre.',
    same_address: 'C’est déjà votre adresse.',
    too_deep: 'Il y a plus de niveaux que ce qui est accepté.',
    too_large: 'C’est plus grand que ce qui est accepté.',
    not_text: 'Il y a des caractères qui ne peuvent pas être gardés.',
    last_owner:
      'Vous êtes le dernier propriétaire de cette plateforme. Donnez d’abord ce rôle à quelqu’un d’autre.',
    pays_for_others:
      'Votre portefeuille paie pour d’autres personnes de votre organisation. Faites d’abord nommer une autre personne qui paie.',
    declared:
      'Le fichier de configuration déclare ce compte et le créerait de nouveau. Retirez-le d’abord là-bas.',
    other_email: 'Ce n’est pas l’adresse de votre compte.',
    wrong: 'Ce n’est pas votre mot de passe.',
    terms: 'Sans votre accord aux conditions, aucun compte ne peut être créé.',
    taken: 'C’est déjà pris. Choisissez autre chose.',
    over: 'Cette invitation ne fonctionne plus. Demandez-en une autre.',
    other_address: 'Cette invitation est pour une autre adresse e-mail.',
    other_organisation: 'Vous faites déjà partie d’une autre organisation.',
    missing: 'Cette indication est nécessaire.',
    not_granted: 'Vous ne pouvez pas donner ce rôle.',
    not_found: 'Vous ne pouvez pas inviter à cet endroit.',
    too_early: 'C’est déjà passé. Choisissez un moment plus tardif.',
    unknown_user: 'Personne que vous puissiez choisir n’a cette adresse.',
    unknown_place: 'Vous ne pouvez rien choisir de tel pour cette personne.',
    other_department: 'Le projet appartient à un autre département.',
    overlap: 'Il faut un nombre entier d’heures de 0 à 720.',
    unknown_name: 'Rien de tel n’est proposé.',
    none_chosen: 'Choisissez-en au moins un, ou autorisez-les tous.',
    not_usd: 'Il faut un montant en dollars américains, par exemple 12.50.',
    other_name: 'Ce n’est pas le nom de la clé.',
  },
  refused: 'Ce n’est pas possible',
};
