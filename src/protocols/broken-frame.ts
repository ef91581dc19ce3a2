/** What is said of an upstream that sends a stream frame nobody can read. */
import type { UpstreamComplaint } from './translator.ts';

export const brokenFrame: UpstreamComplaint = {
  message: 'The provider sent a piece of its answer that cannot be read.',
  code: null,
  type: null,
  param: null,
  status: null,
};
