/** The question as a messages request. */
import { dataLines } from './data-lines.ts';
import { answerTokens, type Question, systemText, temperature, userText } from './question.ts';

/** The protocol demands a bound; this one is far from the answer's length. */
const maxTokens = 1024;

export function messagesQuestion(model: string): Question {
  const request = {
    model,
    max_tokens: maxTokens,
    system: systemText,
    messages: [{ role: 'user', content: userText }],
    temperature,
  };
  return {
    path: '/v1/messages',
    headers: { 'anthropic-version': '2023-06-01' },
    bodies: {
      whole: JSON.stringify(request),
      streamed: JSON.stringify({ ...request, stream: true }),
    },
    isAnsweredBy: (text, form) => (form === 'whole' ? isWhole(text) : isStream(text)),
  };
}

const isWhole = (text: string): boolean => text.includes(`"output_tokens":${answerTokens}`);

/** Pings may stand anywhere, so that only the pieces of text are counted. */
function isStream(text: string): boolean {
  const lines = dataLines(text);
  const pieces = lines.filter((line) => line.includes('"text_delta"'));
  return pieces.length === answerTokens && lines.at(-1)?.includes('"message_stop"') === true;
}
