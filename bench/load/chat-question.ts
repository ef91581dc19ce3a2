/** The question as a chat completion request. */
import { dataLines } from './data-lines.ts';
import { answerTokens, type Question, systemText, temperature, userText } from './question.ts';

/** The chunks, and the end mark. */
export const chatStreamEvents = answerTokens + 3;

export function chatQuestion(model: string): Question {
  const messages = [
    { role: 'system', content: systemText },
    { role: 'user', content: userText },
  ];
  const request = { model, messages, temperature };
  return {
    path: '/v1/chat/completions',
    headers: {},
    bodies: {
      whole: JSON.stringify(request),
      streamed: JSON.stringify({ ...request, stream: true }),
    },
    isAnsweredBy: (text, form) => (form === 'whole' ? isWhole(text) : isStream(text)),
  };
}

const isWhole = (text: string): boolean => text.includes(`"completion_tokens":${answerTokens}`);

function isStream(text: string): boolean {
  const lines = dataLines(text);
  return lines.length === chatStreamEvents && lines.at(-1) === '[DONE]';
}
