/** Français : ce que le service fait, coûte et demande. */
import type { ProductWords } from './en.ts';

export const fr: ProductWords = {
  features: {
    title: 'Ce qu’elle fait',
    description:
      'Protocoles, fournisseurs, bascule, comptabilité, clés et exploitation : ce que fait cette passerelle.',
    lead: 'Une adresse devant les fournisseurs de modèles, qui parle les protocoles que vos clients parlent déjà.',
    sections: [
      {
        title: 'Tout protocole, tout modèle',
        points: [
          [
            'Quatre protocoles de chat',
            'Chat completions, responses, messages et generateContent, entiers ou en flux. Tout modèle de chat répond à tous ; requêtes et réponses sont converties quand client et fournisseur diffèrent.',
          ],
          [
            'Rien ne se perd',
            'Quand les deux parlent le même protocole, les octets passent tels quels : champs inconnus, grands entiers et écriture des nombres restent.',
          ],
          [
            'Plus que le chat',
            'Vecteurs, reclassement, transcription, traduction de la parole et voix, chacun dans la forme qu’attendent les clients courants.',
          ],
          [
            'Les agents tels quels',
            'Claude Code, Codex, Gemini CLI, opencode et Qwen Code ont été réglés et essayés, de même que l’AI SDK et LangChain.',
          ],
        ],
      },
      {
        title: 'Fournisseurs',
        points: [
          [
            'De nombreux genres',
            'OpenAI, Anthropic, Google, Azure, Bedrock, Cohere, Voyage, Jina, Deepgram, ElevenLabs, une vingtaine d’hôtes compatibles, et vos propres serveurs comme vLLM et Ollama.',
          ],
          [
            'Bascule',
            'Les fournisseurs d’un modèle sont essayés, par ordre, poids, latence ou prix, jusqu’au premier contenu d’une réponse. Ensuite une erreur est dite dans le flux, qui alors ne finit jamais comme s’il était entier. Sur demande, un autre fournisseur reprend là où il s’est rompu.',
          ],
          [
            'Le modèle `auto`',
            'Désigne le modèle le moins cher que la clé peut utiliser et qui a les capacités qu’il faut à la requête.',
          ],
          [
            'Règles sur les données',
            'Ce que les fournisseurs disent de la conservation, de l’entraînement et de la région est un verrou d’organisations, de services, de clés et de requêtes. Ce que personne n’a dit ne passe jamais.',
          ],
        ],
      },
      {
        title: 'Comptabilité',
        points: [
          [
            'Exacte',
            'Rien n’est compté deux fois, les coûts sont en milliardièmes de dollar, un relevé par requête avec chaque essai : jamais son contenu.',
          ],
          [
            'Prépayée',
            'Chaque compte a un portefeuille. S’il est vide, les modèles payants répondent 402 avant qu’un fournisseur soit interrogé.',
          ],
          [
            'Aussi pour les flux',
            'L’usage est demandé puis retiré si le client n’en voulait pas ; ce qu’un fournisseur ne compte pas est compté ici et marqué comme estimé.',
          ],
          [
            'Budgets et limites',
            'Par jour, semaine, mois ou au total, pour clés, personnes, services et organisations ; requêtes et jetons par minute. Des requêtes simultanées n’en dépassent aucun.',
          ],
        ],
      },
      {
        title: 'Exploitation',
        points: [
          [
            'Un programme',
            'Une base de données intégrée pour commencer, PostgreSQL pour plusieurs processus. Rien d’autre n’est nécessaire.',
          ],
          [
            'Vue du dehors',
            '`/health`, des métriques pour Prometheus, et un journal en lignes JSON avec une liste fermée de champs.',
          ],
          [
            'S’arrête en douceur',
            'Les réponses en cours finissent avant le processus, et ce qu’elles ont utilisé est écrit.',
          ],
          [
            'Prévient qui de droit',
            'Des e-mails et des webhooks signés quand un solde ou un budget s’épuise, qu’une clé expire ou qu’un fournisseur fait défaut.',
          ],
        ],
      },
    ],
  },
  pricing: {
    title: 'Prix',
    description: 'Ce que coûte une requête, ce qui est gratuit, et les prix actuels de chaque modèle.',
    lead: 'Vous payez ce qu’une requête a utilisé, au prix de son modèle, d’un portefeuille prépayé. Le logiciel ne connaît ni minimum ni abonnement.',
    sections: [
      {
        title: 'Comment naît un coût',
        points: [
          [
            'Quantité fois prix',
            'Une somme exacte, arrondie une fois, au milliardième de dollar. Le prix est celui du modèle, ou celui du fournisseur qui a répondu s’il a le sien.',
          ],
          [
            'Rien deux fois',
            'Ce qu’un cache a servi a son propre prix et n’est plus une entrée. Le raisonnement fait partie de la sortie.',
          ],
          [
            'Dit avec la réponse',
            '`x-sluice-cost-usd` est dans les en-têtes d’une réponse entière ; le coût d’un flux est dans son relevé d’usage.',
          ],
        ],
      },
      {
        title: 'Ce qui est gratuit',
        points: [
          [
            'Les essais manqués',
            'Les fournisseurs qui ont échoué avant celui qui répond ne coûtent rien, ni une requête qui ne donne rien.',
          ],
          ['Les questions sur les modèles', 'Lister les modèles et compter des jetons.'],
        ],
      },
      {
        title: 'Ce qu’il faut savoir',
        points: [
          [
            'Partir tôt',
            'Dès que le prompt est chez un fournisseur, l’entrée est facturée ; au milieu d’une réponse, aussi ce qui a été produit jusqu’à l’arrêt du fournisseur.',
          ],
          [
            'Le dernier centime',
            'Ce qu’une requête peut coûter au plus est réservé avant son envoi : le portefeuille n’est jamais dépassé, et le dernier centime se dépense, avec une réponse plus courte.',
          ],
          [
            'Ce qui n’a pas de prix',
            'Est refusé, ou retiré de la requête quand elle s’en passe. La réponse le nomme dans `x-sluice-left-out`.',
          ],
        ],
      },
    ],
  },
  guide: {
    title: 'Guide',
    description: 'D’une clé aux flux, aux limites et aux erreurs : comment on utilise la passerelle.',
    lead: 'Ce qu’il faut savoir pour bien utiliser la passerelle, dans l’ordre où l’on en a besoin.',
    sections: [
      {
        title: 'Commencer',
        points: [
          [
            '1. Une clé',
            'Qui exploite ce service vous donne un jeton d’API. Gardez-le dans une variable d’environnement, jamais dans le code. Le portefeuille de son titulaire paie.',
          ],
          [
            '2. Une adresse',
            'Les clients OpenAI prennent l’adresse de ce site avec `/v1`, ceux d’Anthropic et de Google sans chemin.',
          ],
          [
            '3. Un modèle',
            '`GET /v1/models` liste ce que la clé peut utiliser. Un client simple reçoit un tableau, les clients officiels les listes qu’ils attendent.',
          ],
        ],
      },
      {
        title: 'Flux',
        points: [
          [
            'À demander comme d’habitude',
            'Avec `stream: true`, ou à `:streamGenerateContent` de Gemini. Quand un fournisseur se tait, le client entend toutes les 15 secondes que la passerelle est là.',
          ],
          [
            'Regarder la fin',
            'Un flux qui se rompt le dit par un événement et omet sa fin habituelle. Ne tenez une réponse pour entière que si cette fin est venue.',
          ],
        ],
      },
      {
        title: 'Limites',
        points: [
          [
            'D’une clé',
            'Requêtes et jetons par minute, et requêtes à la fois. Au-delà la réponse est 429 avec `retry-after` ; `x-ratelimit-…` dit ce qui reste.',
          ],
          [
            'Comment comptent les jetons',
            'Une requête réserve à son début son entrée et la borne de sa sortie, et rend ce qu’elle n’a pas utilisé. Un `max_tokens` raisonnable laisse passer plus de requêtes.',
          ],
        ],
      },
      {
        title: 'Erreurs',
        points: [
          [
            'Dans la forme de votre client',
            'Une erreur a la forme du protocole demandé, avec `detail` à côté. `x-should-retry` dit si un autre essai a un sens.',
          ],
          ['`402`', 'Le portefeuille est vide.'],
          [
            '`403`',
            'La clé n’a pas le droit, un verrou l’interdit, ou ce qui est demandé n’a pas de prix. Le message dit lequel.',
          ],
          ['`422`', 'Des champs sont faux ; jusqu’à vingt sont listés dans `error.fields`.'],
          [
            '`502`, `503`, `504`',
            'Tous les fournisseurs du modèle ont échoué, étaient surchargés ou trop lents.',
          ],
          ['Pour demander de l’aide', 'Donnez le `x-request-id` de la réponse.'],
        ],
      },
    ],
  },
};
