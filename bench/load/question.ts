/** The one question that every contender is asked, and what the upstream answers to it. */

export type AnswerForm = 'whole' | 'streamed';

export const benchModel = 'bench-model';

/** With the opening and the closing chunk a streamed answer has 100. */
export const answerTokens = 98;
export const promptTokens = 24;
/** The chunks, and the end mark. */
export const streamEvents = answerTokens + 3;

const messages = [
  { role: 'system', content: 'You are a terse assistant.' },
  { role: 'user', content: 'Which rivers run through the old town, and where do they meet?' },
];

export const bodies: Readonly<Record<AnswerForm, string>> = {
  whole: JSON.stringify({ model: benchModel, messages, temperature: 0.2 }),
  streamed: JSON.stringify({ model: benchModel, messages, temperature: 0.2, stream: true }),
};

/** @throws Error when the answer is not the upstream's: a broken contender must not look fast. */
export async function ask(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
  for (const form of ['whole', 'streamed'] as const) {
    const response = await fetch(url, { method: 'POST', headers: { ...headers }, body: bodies[form] });
    const text = await response.text();
    const isRight = form === 'whole' ? text.includes('"usage"') : countEvents(text) === streamEvents;
    if (response.status !== 200 || !isRight) {
      throw new Error(`wrong ${form} answer from ${url}: ${response.status} ${text.slice(0, 300)}`);
    }
  }
}

function countEvents(text: string): number {
  return text.split('\n').filter((line) => line.startsWith('data:')).length;
}
