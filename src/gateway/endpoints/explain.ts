/** POST /v1/explain: who would be asked for a chat completion now, who would not and why; nobody is asked, and nothing is charged. */
import type { Model } from '../../catalogue/index.ts';
import { chatErrors } from '../../protocols/chat-completions/errors.ts';
import type { InferenceRequest } from '../../protocols/translator.ts';
import { type Candidate, explainFilters, findCandidates } from '../../routing/index.ts';
import { resolveModel } from '../choose-model.ts';
import { describeRoute } from '../decision.ts';
import type { FreeEndpoint } from '../endpoint.ts';
import { openRoute } from '../open-route.ts';
import { readGivenSession } from '../session.ts';
import { chatCompletions } from './chat-completions.ts';

interface Subject {
  readonly model: Model;
  readonly candidates: readonly Candidate[];
}

export const explain: FreeEndpoint<InferenceRequest, Subject> = {
  kind: 'free',
  method: 'POST',
  path: '/v1/explain',
  scopes: chatCompletions.scopes,
  isLimited: true,
  errors: chatErrors,
  readRequest: (reading, services) => chatCompletions.readRequest(reading, services),
  findSubject(request, { caller, facts, services }) {
    const snapshot = services.catalogue.current();
    const { model, isAutorouted } = resolveModel(request, chatCompletions, { caller, snapshot });
    if (isAutorouted) facts.autoroutedModel = model.publicId;
    return { model, candidates: findCandidates(model, caller, chatCompletions.canServe) };
  },
  async answer({ request, subject: { model, candidates }, caller, http, facts, services }) {
    facts.session = readGivenSession(http.headers, request.json);
    await openRoute(candidates, { request, caller, http, model, facts, services });
    const told = {
      model: model.publicId,
      autorouted: facts.autoroutedModel !== undefined,
      ...describeRoute(facts),
      filtered: explainFilters(model, caller, chatCompletions.canServe),
    };
    return { body: JSON.stringify(told) };
  },
};
