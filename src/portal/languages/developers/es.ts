/** Español: primeras solicitudes. */
import type { DevelopersWords } from './en.ts';

export const es = {
  title: 'Desarrolladores',
  description:
    'La primera solicitud en curl, Python y TypeScript, y los ajustes de SDK y agentes de programación.',
  lead: 'Conserve el cliente que tiene: cambie su dirección y su token. Cualquier modelo de chat responde en el protocolo de cualquier cliente.',
  token: (variable) => ['Ponga antes un token de API en la variable ', variable, '.'],
  addresses: 'Direcciones',
  forOpenAi: 'Clientes de OpenAI',
  forAnthropic: 'Clientes de Anthropic',
  forGemini: 'Clientes de Gemini',
  chatDetail:
    'Como hablan los clientes de OpenAI. La misma dirección sirve responses, vectores, reordenación y audio.',
  messagesDetail: 'Como hablan los clientes de Anthropic. La dirección no lleva /v1: el cliente lo añade.',
  aiSdk: 'Los dos proveedores toman la dirección con /v1.',
  langChain: 'La clase para OpenAI toma la dirección con /v1.',
  claudeCode: 'Escríbalo en un terminal. Sirve cualquier modelo de chat, no solo los de Anthropic.',
  codex: 'Habla la API Responses, a la que aquí responde todo modelo de chat.',
  next: 'Lo que dice una respuesta',
  nextItems: (id, provider, cost) => [
    [id, ' nombra la solicitud: indíquelo cuando pregunte por una.'],
    [provider, ' dice qué proveedor respondió.'],
    [
      cost,
      ' es lo que costó una respuesta entera. El coste de un flujo se sabe al final y está en el registro de uso.',
    ],
  ],
  reference: 'Cada dirección, campo y error',
  agents: 'Gemini CLI, opencode, Qwen Code y otros se configuran igual.',
} satisfies DevelopersWords;
