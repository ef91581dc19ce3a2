/** Which models a list shows, and in which order: by the fields of its address. */
import {
  type CatalogueSnapshot,
  capabilities,
  type Model,
  type ModelType,
  modelTypes,
} from '../../catalogue/index.ts';

type Capability = (typeof capabilities)[number];

export interface ModelChoice {
  readonly search: string;
  readonly type: ModelType | null;
  readonly capability: Capability | null;
  /** A key of `orders`, downwards with a hyphen in front; anything else is the catalogue's own order. */
  readonly sort: string;
}

export const readType = (text: string | undefined): ModelType | null =>
  modelTypes.find((type) => type === text) ?? null;
export const readCapability = (text: string | undefined): Capability | null =>
  capabilities.find((capability) => capability === text) ?? null;

/** What has no price is refused to who pays, so that it is no offer. */
export const offeredModels = ({ models }: CatalogueSnapshot): readonly Model[] =>
  models.filter(({ prices }) => prices !== null);

export function chooseModels(models: readonly Model[], choice: ModelChoice): readonly Model[] {
  const { search, type, capability, sort } = choice;
  const wanted = search.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const chosen = models.filter((model) => {
    if (type !== null && model.type !== type) return false;
    if (capability !== null && !model.capabilities.includes(capability)) return false;
    const text = [model.publicId, model.ownedBy, ...model.aliases].join(' ').toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
  const isDownwards = sort.startsWith('-');
  const name = isDownwards ? sort.slice(1) : sort;
  // Every object knows words that are no order.
  const order = Object.hasOwn(orders, name) ? orders[name] : undefined;
  return order === undefined ? chosen : chosen.toSorted(inOrder(order, isDownwards));
}

type Order = (model: Model) => string | number | bigint | null;

const orders: Readonly<Record<string, Order | undefined>> = {
  model: ({ publicId }) => publicId,
  context: ({ contextWindow }) => contextWindow,
  input: ({ prices }) => prices?.input ?? null,
  output: ({ prices }) => prices?.output ?? null,
};

/** What has no value stands last, either way. */
function inOrder(order: Order, isDownwards: boolean): (one: Model, other: Model) => number {
  return (first, second) => {
    const one = order(first);
    const other = order(second);
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    if (one === other) return 0;
    return one < other === isDownwards ? 1 : -1;
  };
}

export const abilitiesOf = (model: Model): readonly Capability[] =>
  capabilities.filter((each) => model.capabilities.includes(each));

/** Names have slashes in them, which stay, and other characters that an address cannot have. */
export const addressOfModel = (publicId: string): string =>
  `/models-public/${publicId.split('/').map(encodeURIComponent).join('/')}`;
