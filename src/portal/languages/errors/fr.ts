/** Pourquoi rien n’a été fait, et que faire. */
import type { ErrorsWords } from './en.ts';

export const fr: ErrorsWords = {
  tooManyAttempts: (seconds) =>
    `Il y a eu trop de tentatives. Réessayez dans ${seconds} ${seconds === 1 ? 'seconde' : 'secondes'}.`,
  sentences: {
    not_signed_in: 'Connectez-vous d’abord.',
    not_allowed: 'Votre rôle ne le permet pas. Adressez-vous à un administrateur de votre organisation.',
    cross_site:
      'La demande venait d’une page d’un autre site : rien n’a été fait. Faites-la sur une page d’ici.',
    sign_in_elsewhere:
      'Les personnes de ce domaine se connectent seulement par le fournisseur de leur organisation. Prenez son bouton sur la page de connexion.',
    proof_needed: 'Montrez encore une fois qui vous êtes : donnez votre mot de passe, ou reconnectez-vous.',
    email_unverified:
      'Votre adresse e-mail n’est pas encore confirmée. Suivez d’abord le lien reçu par e-mail.',
    account_suspended: 'Votre compte est suspendu. Demandez-en la raison à votre administrateur.',
    account_archived:
      'Votre compte est fermé. Adressez-vous à votre administrateur si vous en avez de nouveau besoin.',
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
    not_found: 'Ce dont il s’agissait n’existe plus.',
    method_not_allowed: 'Cette adresse n’accepte pas ce qui lui a été envoyé.',
    malformed_request: 'L’envoi s’est interrompu. Réessayez.',
    malformed_json: 'Le contenu n’est pas du JSON valide.',
    server_busy: 'Le serveur est occupé. Réessayez dans un instant.',
    database_unavailable:
      'La base de données est injoignable. Rien n’est perdu ; réessayez dans quelques secondes.',
    internal_error: 'Un problème est survenu de notre côté. Réessayez dans un instant.',
  },
  reasons: {
    overtaken:
      'Quelqu’un d’autre l’a modifié entre-temps. À côté de vos valeurs est indiqué ce qui vaut maintenant ; enregistrez encore une fois pour garder les vôtres.',
    changed_meanwhile: 'Ce que votre compte peut faire a changé pendant cet envoi. Réessayez.',
    only_way_in: 'C’est votre seul moyen de vous connecter. Choisissez d’abord un mot de passe.',
    twice_at_once: 'Cela s’est fait deux fois en même temps. Réessayez.',
    linked_elsewhere:
      'Ce compte du fournisseur est lié ici à un autre compte, ou le vôtre l’est déjà à un autre.',
    declared_account:
      'Ce compte figure dans le fichier de configuration du serveur. Son adresse s’y modifie.',
    token_of_other:
      'Seuls son propriétaire et qui administre ce compte peuvent obtenir un autre jeton de cette clé.',
    rotated_before: 'Le jeton précédent fonctionne encore. Mettez-y fin d’abord.',
    no_earlier_token: 'Plus aucun jeton antérieur de cette clé ne fonctionne.',
    higher_role:
      'Les clés des personnes d’un rôle plus élevé ne peuvent être modifiées que par ces personnes.',
    account_of_other:
      'Une clé avec accès au compte ouvre le compte de son propriétaire, qui seul peut en avoir une.',
    declared_key: 'Cette clé est déclarée dans le fichier de configuration du serveur. Modifiez-la là.',
    first_key: 'Cette clé découle du secret du service. Créez-en une autre, et révoquez celle-ci.',
    revoked_key: 'Cette clé est révoquée, ce qui est définitif.',
    codes_on: 'Des codes sont déjà demandés. Désactivez-les d’abord.',
    codes_not_begun: 'Il n’y a rien à confirmer. Recommencez.',
    many_passkeys: 'Vous avez déjà autant de clés d’accès que possible. Supprimez-en une d’abord.',
    known_passkey: 'Cette clé d’accès est déjà connue.',
    passkey_late: 'Cela a pris trop de temps. Recommencez.',
    under_way: 'C’est déjà en route.',
    many_webhooks: 'Il y a déjà autant de webhooks que possible. Supprimez-en un d’abord.',
    main_contact: 'Le contact principal reste tant que le compte existe.',
    many_contacts: 'Ce compte a déjà autant de contacts que possible. Supprimez-en un d’abord.',
    has_password: 'Ce compte a déjà un mot de passe. Modifiez-le dans ses paramètres.',
    other_signed_in: 'Une autre personne est connectée. Déconnectez-vous d’abord.',
    link_at_main: 'La liaison se fait à l’adresse principale du service.',
  },
  fields: {
    kind_of_tokens: 'Seuls les jetons peuvent être ventilés par sorte.',
    labels_apart: 'Étiquettes et utilisateurs finaux sont comptés à part : demandez l’un des deux.',
    span_empty: 'La période doit commencer avant sa fin et avant maintenant.',
    span_long: 'Une période compte au plus 1 000 jours.',
    no_hours:
      'Le détail par heure est possible sur 32 jours au plus, mais pas pour les étiquettes, les utilisateurs finaux ni les personnes croisées avec les modèles.',
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
      'Votre portefeuille paie pour d’autres personnes de votre organisation. Demandez d’abord à un administrateur de désigner une autre personne qui paie.',
    declared:
      'Ce compte figure dans le fichier de configuration du serveur. Demandez à l’exploitant de ce service de l’en retirer d’abord.',
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
    too_many_keys:
      'Ce compte a 1 000 clés non révoquées, le maximum. Révoquez celles dont personne ne se sert.',
    unknown_place: 'Vous ne pouvez pas choisir cela pour cette personne.',
    other_department: 'Le projet appartient à un autre service.',
    overlap: 'Il faut un nombre entier d’heures de 0 à 720.',
    unknown_name: 'Ce choix n’est pas proposé.',
    none_chosen: 'Choisissez-en au moins un, ou autorisez-les tous.',
    not_usd: 'Il faut un montant en dollars américains, par exemple 12.50.',
    other_name: 'Ce n’est pas le nom de la clé.',
    request_id: 'Il faut l’identifiant d’une requête, ou son début.',
    not_status: 'Valeurs possibles : ok, failed, 4xx, 5xx, ou un statut tel que 404.',
    only_on_day:
      'Un dernier jour est indiqué, mais « Après le jour ci-dessous » n’est pas choisi : choisissez-le, ou laissez ce champ vide.',
    two_ends: 'Deux fins sont indiquées : laissez-en une de côté.',
  },
  checker: {
    whole: 'Il faut un nombre entier.',
    wholeFrom: (from) => `Il faut un nombre entier à partir de ${from}.`,
    wholeBetween: (from, to) => `Il faut un nombre entier de ${from} à ${to}.`,
    number: 'Il faut un nombre.',
    between: (from, to) => `Il faut un nombre de ${from} à ${to}.`,
    mostUsd: (amount) => `Le maximum est ${amount}.`,
    oneOf: (choices) => `Valeurs possibles : ${choices}.`,
    day: 'Il faut un jour, par exemple 2026-11-23.',
    moment: 'Il faut un moment avec son fuseau, par exemple 2026-11-23T14:30:00Z.',
    email: 'Il faut une adresse e-mail, par exemple nom@example.com.',
    text: 'Il faut un texte.',
    shortest: (characters) => `Il faut au moins ${characters} caractères.`,
    longest: (characters) => `${characters} caractères au plus sont acceptés.`,
    list: 'Il faut une liste.',
    mostInList: (number) => `${number} au plus sont acceptés.`,
    unusable: 'Ceci ne peut pas être utilisé ici.',
  },
  refused: 'Ce n’est pas possible',
};
