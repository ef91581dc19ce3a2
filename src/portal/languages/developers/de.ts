/** Deutsch: erste Anfragen. */
import type { DevelopersWords } from './en.ts';

export const de = {
  title: 'Für Entwickler',
  description:
    'Die erste Anfrage in curl, Python und TypeScript und die Einstellungen von SDKs und Coding-Agenten.',
  lead: 'Behalten Sie den Client, den Sie haben: Ändern Sie Adresse und Token. Jedes Chatmodell antwortet im Protokoll jedes Clients.',
  token: (variable) => ['Legen Sie zuerst ein API-Token in die Variable ', variable, '.'],
  addresses: 'Adressen',
  forOpenAi: 'OpenAI-Clients',
  forAnthropic: 'Anthropic-Clients',
  forGemini: 'Gemini-Clients',
  chatDetail:
    'Wie die Clients von OpenAI sprechen. Unter derselben Adresse gibt es Responses, Einbettungen, Umsortieren und Ton.',
  messagesDetail: 'Wie die Clients von Anthropic sprechen. Die Adresse hat kein /v1: Der Client hängt es an.',
  aiSdk: 'Beide Provider nehmen die Adresse mit /v1.',
  langChain: 'Die Klasse für OpenAI nimmt die Adresse mit /v1.',
  claudeCode: 'Geben Sie das in einer Shell ein. Jedes Chatmodell geht, nicht nur die von Anthropic.',
  codex: 'Es spricht die Responses-API, auf die hier jedes Chatmodell antwortet.',
  next: 'Was eine Antwort verrät',
  nextItems: (id, provider, cost) => [
    [id, ' benennt die Anfrage: Geben Sie es an, wenn Sie nach einer fragen.'],
    [provider, ' sagt, welcher Anbieter geantwortet hat.'],
    [
      cost,
      ' ist der Preis einer ganzen Antwort. Der eines Streams steht an dessen Ende fest und ist im Nutzungseintrag.',
    ],
  ],
  reference: 'Jede Adresse, jedes Feld, jeder Fehler',
  agents: 'Gemini CLI, opencode, Qwen Code und andere werden ebenso eingestellt.',
} satisfies DevelopersWords;
