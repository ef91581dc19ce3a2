/** What an inference endpoint is: how its requests are read, who can serve them, and how one try at a provider goes. */
import type { Usage } from '../base/token-usage.ts';
import type { Model, ModelType } from '../catalogue/index.ts';
import type { Caller } from '../identity/index.ts';
import type { ErrorWriter } from '../protocols/translator.ts';
import type { ModelFacts } from '../protocols/turn/request.ts';
import type { Supports } from '../providers/index.ts';
import type { OpenBytes, OpenStream, UpstreamCall } from '../upstream/index.ts';
import type { GatewayServices } from './services.ts';

/** A checked request, as far as the pipeline needs to know it. */
export interface Asked {
  /** As the caller wrote it; null for the first model of the endpoint's type. */
  readonly model: string | null;
  readonly stream: boolean;
}

export interface Endpoint<Ask extends Asked> {
  readonly path: string;
  readonly modelType: ModelType;
  readonly errors: ErrorWriter;
  /** @throws AppError for protocol headers that cannot be. */
  checkHeaders?(headers: Headers): void;
  /** Takes bodies that are large and slow to come: money and limits are asked before they are read. */
  readonly isUpload?: true;
  /** @throws AppError for a body that is not a valid request. */
  readRequest(http: Request, services: GatewayServices): Promise<Ask>;
  /** What a model must be able to do, where `auto` is a model of this endpoint. */
  neededCapabilities?(ask: Ask): readonly string[];
  canServe(supports: Supports): boolean;
  /**
   * One try at one provider, up to its first content.
   * Throws whatever goes wrong: the upstream room knows what each means.
   */
  ask(asking: Asking<Ask>): Promise<Served>;
}

/** What one try at one provider goes by. */
export interface Asking<Ask> {
  readonly request: Ask;
  readonly caller: Caller;
  readonly model: Model;
  readonly call: UpstreamCall;
  /** Of the model, for requests that are converted. */
  readonly facts: ModelFacts;
  /** The caller's own. */
  readonly headers: Headers;
}

/** A whole answer, ready for the client. */
export interface WholeAnswered {
  readonly kind: 'whole';
  readonly body: string;
  readonly contentType: string;
  readonly usage: Usage;
}

export type Served = WholeAnswered | OpenStream | OpenBytes;
