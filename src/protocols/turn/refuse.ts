/** The error for a request that a conversion cannot carry without changing what it asks for. */
import { AppError } from '../../base/errors.ts';

/**
 * @param what in the plural or with an article, as in "audio input".
 * @param param the request field that holds it.
 */
export function refuse(what: string, param: string): AppError {
  return new AppError({
    code: 'invalid_parameter',
    public: `The provider of this model cannot take ${what}. Leave it out or choose another model.`,
    param,
  });
}

/** For domains that the search of an upstream cannot be held to: it would answer from pages that must not be used. */
export const refuseDomains = (): AppError =>
  refuse('a web search that is held to domains or kept from some', 'tools');

/** For a field that no rule of its protocol explains. */
export function cannotRead(param: string, reason: string): AppError {
  return new AppError({ code: 'invalid_parameter', public: `${param}: ${reason}`, param });
}

/** For a conversation in which nobody says anything, which upstreams refuse in words of their own. */
export function nothingSaid(): AppError {
  return cannotRead(
    'messages',
    'they hold nothing to answer: no text, and no content of a type that is known here',
  );
}

/** For a choice that would leave the model without any of the tools it may use. */
export function namesNoTool(): AppError {
  return cannotRead('tool_choice', 'names no tool that the request declares');
}
