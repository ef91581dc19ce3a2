/** What a model that thinks within a budget demands of the rest of its request. */
import { type JsonObject, readList, readNumber, readObject, readText } from '../../json.ts';
import { blocksOf } from './conversation.ts';

/** What is wrong with the request; undefined when nothing is, or nothing is thought. */
export function findThinkingFault(body: JsonObject): string | undefined {
  const thinking = readObject(body, 'thinking');
  if (thinking['type'] !== 'enabled') return undefined;
  const budget = readNumber(thinking, 'budget_tokens') ?? 0;
  if (budget < fewestTokens) return `thinking.budget_tokens: a number from ${fewestTokens} is needed.`;
  if (budget >= (readNumber(body, 'max_tokens') ?? 0))
    return 'max_tokens: the thinking budget is not below it.';
  const choice = readObject(body, 'tool_choice')['type'];
  if (choice === 'any' || choice === 'tool')
    return 'tool_choice: thinking and a forced tool exclude each other.';
  if ((body['temperature'] ?? 1) !== 1) return 'temperature: while thinking it can only be 1.';
  if ((body['top_k'] ?? null) !== null) return 'top_k: it cannot be set while thinking.';
  return findLostThinking(readList(body, 'messages'));
}

const fewestTokens = 1024;

/** While it works with tools, a model that thinks wants its thoughts back in front of the last uses. */
function findLostThinking(messages: readonly unknown[]): string | undefined {
  const isWorking = blocksOf(messages.at(-1)).some((block) => block['type'] === 'tool_result');
  if (!isWorking) return undefined;
  const [first] = blocksOf(messages.findLast((message) => readText(message, 'role') === 'assistant'));
  if (first?.['type'] === 'thinking') return undefined;
  return 'messages: the last uses of tools have lost the thinking in front of them.';
}
