/** Adapters of vendors that are asked over HTTP with one credential in a header: their addresses and supports, as data. */
import {
  baseUrlOf,
  jsonHeaders,
  type Probe,
  type ProbedModel,
  type ProviderAdapter,
  type ProviderTarget,
  pathOfUrl,
  probeList,
  probeTask,
  type Supports,
  type UpstreamAddress,
  type UpstreamTask,
  withPath,
} from './provider.ts';

export interface VendorPlace {
  /** Where the vendor's paths begin; null when every row of the catalogue must say. */
  readonly baseUrl: string | null;
  /** Adds what people leave out of an address; the path of `baseUrl` to a host alone unless the vendor wants another. */
  readonly complete?: (written: string) => string;
  /** An ending of base URLs that people write and that is no part of where the paths begin. */
  readonly ending?: RegExp;
  /** The headers that show the credential; a bearer token unless the vendor wants another form. */
  readonly showCredential?: (secret: string) => Readonly<Record<string, string>>;
  /** The headers of every request besides; those of JSON unless the vendor wants others. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A path, or how the path follows from what is asked. */
type Path = string | ((task: UpstreamTask) => string);

export type AddressAt = (path: Path) => (task: UpstreamTask) => UpstreamAddress;

/** How the addresses of one vendor are made. A row without a credential shows none. */
export function addressesOf({
  baseUrl,
  complete = withPath(baseUrl === null ? '' : pathOfUrl(baseUrl)),
  ending,
  showCredential = bearer,
  headers = jsonHeaders,
}: VendorPlace): AddressAt {
  // Frozen, so that the head of a request is written once for all that have them.
  const headersOf = onceEach(({ secret }) =>
    Object.freeze({ ...headers, ...(secret === null ? {} : showCredential(secret)) }),
  );
  const write = (path: string, target: ProviderTarget): UpstreamAddress => {
    const written = baseUrlOf(target, { defaultBaseUrl: baseUrl, complete });
    const base = ending === undefined ? written : written.replace(ending, '');
    return { url: base + path, headers: headersOf(target) };
  };
  return (path) => {
    if (typeof path !== 'string') return (task) => write(path(task), task.target);
    const addressOf = onceEach((target) => write(path, target));
    return ({ target }) => addressOf(target);
  };
}

/** A target is one object until the catalogue is read anew. */
function onceEach<Made>(make: (target: ProviderTarget) => Made): (target: ProviderTarget) => Made {
  const made = new WeakMap<ProviderTarget, Made>();
  return (target) => {
    const before = made.get(target);
    if (before !== undefined) return before;
    const one = make(target);
    made.set(target, one);
    return one;
  };
}

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

export interface Vendor extends VendorPlace {
  readonly kind: string;
  readonly supports: (at: AddressAt) => Supports;
  /** What may be asked to see whether a row works; without it, the list of models at `modelsPath`. */
  readonly probes?: (at: AddressAt, target: ProviderTarget, model: ProbedModel | null) => readonly Probe[];
  /** `/models` unless the vendor has its list elsewhere. */
  readonly modelsPath?: string;
}

/** The adapter of a vendor that lives at one address, wants a credential, and has no settings of its own. */
export function vendorAdapter(vendor: Vendor): ProviderAdapter {
  const at = addressesOf(vendor);
  const supports = vendor.supports(at);
  const { modelsPath = '/models', probes } = vendor;
  return {
    kind: vendor.kind,
    defaultBaseUrl: vendor.baseUrl,
    needsCredential: true,
    supports: () => supports,
    probes: (target, model) =>
      probes === undefined ? [probeList(at(modelsPath)(probeTask(target)))] : probes(at, target, model),
  };
}
