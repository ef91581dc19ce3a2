/** Errors in the shape that all protocols of OpenAI share. */
import type { Problem } from '../protocol.ts';

export function errorFields({ message, type, code, param, details }: Problem): object {
  return { message, type, param: param ?? null, code, ...details };
}

export function writeProblem(problem: Problem): string {
  return JSON.stringify({ error: errorFields(problem) });
}
