/** Français : ce que signifie le code d’une requête échouée, et ce qui aide. */
import type { FailuresWords } from './en.ts';

export const fr = {
  upstream_refused_request:
    'Le fournisseur a refusé la requête elle-même : un champ ou une valeur n’est pas ce que le modèle accepte. Corrigez la requête ; inchangée, elle sera refusée de nouveau.',
  content_filtered:
    'Le fournisseur a refusé le contenu selon ses propres règles. Changez le prompt ou prenez un modèle d’un autre fournisseur.',
  context_length_exceeded:
    'Le prompt et la plus longue réponse ne tiennent pas dans le contexte du modèle. Raccourcissez la conversation, demandez une réponse plus courte ou prenez un modèle avec plus de contexte.',
  upstream_unreachable:
    'Aucune connexion au fournisseur n’a abouti. Renvoyez la requête ; si cela dure, dites-le à l’exploitant de ce serveur.',
  upstream_failed: 'Le fournisseur a eu une erreur. Renvoyez la requête.',
  upstream_invalid_answer:
    'Ce que le fournisseur a envoyé n’est pas une réponse de son protocole. Renvoyez la requête ; si cela dure, dites-le à qui exploite ce serveur.',
  upstream_rejected_credentials:
    'Le fournisseur n’a pas accepté les identifiants de ce serveur. Qui l’exploite doit les renouveler ; renvoyer ne change rien.',
  upstream_model_unavailable:
    'Le fournisseur n’a pas ce modèle, ou pas pour ce compte. Prenez un autre modèle ou dites-le à qui exploite ce serveur.',
  upstream_overloaded: 'Le fournisseur était surchargé. Attendez un instant et renvoyez la requête.',
  upstream_quota_spent:
    'Ce que ce serveur peut utiliser du fournisseur est épuisé. Dites-le à qui exploite ce serveur ; renvoyer ne change rien.',
  upstream_rate_limited:
    'Le fournisseur n’acceptait plus pour l’instant de requêtes de ce serveur. Attendez un instant et renvoyez la requête.',
  upstream_timeout:
    'Le fournisseur n’a pas répondu à temps. Renvoyez la requête, recevez la réponse en flux ou demandez-en une plus courte.',
  upstream_state_gone:
    'La requête continue ce qu’un fournisseur avait gardé et n’a plus. Envoyez toute la conversation.',
  no_provider:
    'Il ne restait aucun fournisseur qui puisse servir ce modèle. Voyez ce que permettent la clé et la politique de données, ou prenez un autre modèle.',
  body_too_large:
    'Le corps est plus grand que ce qui est accepté. Envoyez moins, ou des fichiers plus petits.',
  client_closed:
    'Le programme qui demandait a fermé la connexion avant la fin. Donnez-lui plus de temps si ce n’était pas voulu.',
  shutting_down: 'Ce serveur était en train de s’arrêter. Renvoyez la requête.',
  accounting_unavailable:
    'Ce que la requête peut coûter n’a pas pu être réservé, car les livres étaient hors d’atteinte. Renvoyez la requête.',
  internal_error:
    'Quelque chose a échoué dans ce serveur. Renvoyez la requête ; si cela dure, donnez l’identifiant de la requête à qui l’exploite.',
} satisfies FailuresWords;
