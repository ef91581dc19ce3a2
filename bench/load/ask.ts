/** One question asked in both forms, before any load: a broken contender must not look fast. */
import { addressQuestion, answerForms, type Question, type Target } from './question.ts';

/**
 * @param answerHeaders that every answer must have, by lower-case name.
 * @throws Error when an answer is not the upstream's.
 */
export async function ask(
  target: Target,
  question: Question,
  answerHeaders: Readonly<Record<string, string>> = {},
): Promise<void> {
  for (const form of answerForms) {
    const { url, headers, body } = addressQuestion(question, form, target);
    const response = await fetch(url, { method: 'POST', headers: { ...headers }, body });
    const text = await response.text();
    if (response.status !== 200 || !question.isAnsweredBy(text, form)) {
      throw new Error(`wrong ${form} answer from ${url}: ${response.status} ${text.slice(0, 300)}`);
    }
    for (const [name, expected] of Object.entries(answerHeaders)) {
      const value = response.headers.get(name);
      if (value === expected) continue;
      throw new Error(`the ${form} answer from ${url} has ${name}: ${value}, not ${expected}`);
    }
  }
}
