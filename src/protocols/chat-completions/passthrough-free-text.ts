/** Chat completions to a host without free-text tools: requests that have some are converted, all others pass. */
import type { InferenceRequest, Translator } from '../translator.ts';
import { hasFreeText } from './free-text.ts';

export function withFreeText(by: { passing: Translator; converting: Translator }): Translator {
  const fitting = ({ json }: InferenceRequest) => (hasFreeText(json) ? by.converting : by.passing);
  return {
    writeRequest: (request, upstreamId, facts) => fitting(request).writeRequest(request, upstreamId, facts),
    readAnswer: (body, request) => fitting(request).readAnswer(body, request),
    openStream: (request) => fitting(request).openStream(request),
    readComplaint: (body) => by.passing.readComplaint(body),
  };
}
