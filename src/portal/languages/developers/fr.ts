/** Français : premières requêtes. */
import type { DevelopersWords } from './en.ts';

export const fr = {
  title: 'Développeurs',
  description:
    'La première requête en curl, Python et TypeScript, et les réglages des SDK et des agents de code.',
  lead: 'Gardez le client que vous avez : changez son adresse et son jeton. Tout modèle de chat répond dans le protocole de tout client.',
  token: (variable) => ['Mettez d’abord un jeton d’API dans la variable ', variable, '.'],
  addresses: 'Adresses',
  forOpenAi: 'Clients OpenAI',
  forAnthropic: 'Clients Anthropic',
  forGemini: 'Clients Gemini',
  chatDetail:
    'Comme parlent les clients d’OpenAI. La même adresse sert responses, vecteurs, reclassement et audio.',
  messagesDetail: 'Comme parlent les clients d’Anthropic. L’adresse n’a pas de /v1 : le client l’ajoute.',
  aiSdk: 'Les deux fournisseurs prennent l’adresse avec /v1.',
  langChain: 'La classe pour OpenAI prend l’adresse avec /v1.',
  claudeCode: 'Tapez ceci dans un terminal. Tout modèle de chat convient, pas seulement ceux d’Anthropic.',
  codex: 'Il parle l’API Responses, à laquelle répond ici tout modèle de chat.',
  next: 'Ce que dit une réponse',
  nextItems: (id, provider, cost) => [
    [id, ' nomme la requête : donnez-le quand vous posez une question sur l’une d’elles.'],
    [provider, ' dit quel fournisseur a répondu.'],
    [
      cost,
      ' est le coût d’une réponse entière. Celui d’un flux est connu à sa fin, et se trouve dans le relevé d’usage.',
    ],
  ],
  reference: 'Chaque adresse, champ et erreur',
  agents: 'Gemini CLI, opencode, Qwen Code et d’autres se règlent de la même façon.',
} satisfies DevelopersWords;
