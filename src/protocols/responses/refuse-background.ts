/** Answers in the background are not for a gateway that is paid by what it relays. */
import { AppError } from '../../base/errors.ts';

/** @throws AppError invalid_parameter: what is generated after the answer could be counted by nobody here. */
export function refuseBackground({ background }: { readonly background?: unknown }): void {
  if (background !== true) return;
  throw new AppError({
    code: 'invalid_parameter',
    public: 'background cannot be true here: answers are relayed as they are made. Leave it out, or stream.',
    param: 'background',
  });
}
