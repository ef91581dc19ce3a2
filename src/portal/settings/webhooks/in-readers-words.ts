/** What the rule about addresses says is wrong, in the reader's words. */
import type { Context } from 'hono';
import { AppError } from '../../../base/errors.ts';
import { webhooksWords } from '../../languages/webhooks/index.ts';
import { wordsFor } from '../../visit.ts';

export async function inReadersWords<Result>(context: Context, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation_failed') throw error;
    const words: Readonly<Record<string, string>> = wordsFor(context, webhooksWords).issues;
    const fields = error.fields.map(({ loc, msg, type }) => ({ loc, type, msg: words[type] ?? msg }));
    throw new AppError({ code: 'validation_failed', public: fields[0]?.msg ?? error.message, fields });
  }
}
