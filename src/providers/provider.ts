/** What a provider adapter is: how to address one kind of upstream and which protocol it speaks. */
import type { UpstreamProtocol } from '../protocols/protocol.ts';

/** The part of a provider that an adapter needs; the catalogue's rows fit it. */
export interface ProviderTarget {
  readonly name: string;
  readonly baseUrl: string | null;
  readonly secret: string | null;
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface UpstreamRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The chat side of an adapter: which protocol the upstream speaks, and where its requests go. */
export interface ChatSupport {
  readonly protocol: UpstreamProtocol;
  /** @param forwarded headers of the client's own that belong to the protocol, by lower-case name. */
  address(
    target: ProviderTarget,
    body: string,
    forwarded?: Readonly<Record<string, string>>,
  ): UpstreamRequest;
}

export interface ProviderAdapter {
  readonly kind: string;
  /** Whether a row of this kind must have a base URL and a credential to be usable. */
  readonly needs: { readonly baseUrl: boolean; readonly credential: boolean };
  readonly chat: ChatSupport;
  /** Answers inside the process instead of over the network. */
  readonly answer?: (request: UpstreamRequest, signal: AbortSignal) => Promise<Response>;
}
