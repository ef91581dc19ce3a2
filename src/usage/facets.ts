/** Facets of the sums: which of a request's columns a row of sums tells apart. README.md has them as a table. */

const people = ['user_id', 'payer_id', 'key_id'] as const;
const asks = ['model', 'provider'] as const;
const groups = ['organisation_id', 'department_id', 'project_id'] as const;
const all = [...groups, 'status', ...people, ...asks] as const;

export type SumColumn = (typeof all)[number] | 'label';

export interface Facet {
  readonly id: number;
  readonly tells: readonly SumColumn[];
  /** What its labels are. */
  readonly label?: 'tag' | 'endUser';
  /** Whether there are sums of hours beside those of days and weeks. */
  readonly hasHours?: true;
  /** The one that its sums are made of when a day is settled; a request is folded at once into those without. */
  readonly madeOf?: FoldedFacetName;
  /** The one whose days its sums of weeks are made of: it has no others. */
  readonly weeksOf?: 'endUsers' | 'labelEndUsers';
}

export type FoldedFacetName = 'detail' | 'models' | 'people' | 'tags' | 'endUsers';

/** Those that requests are folded into. */
export const foldedFacets = {
  /** In an hour there would be about as many of these as requests. */
  detail: { id: 0, tells: all },
  /** Not who asked: few rows, for what concerns many people. */
  models: { id: 1, tells: [...groups, 'status', ...asks], hasHours: true },
  /** Not what was asked for. */
  people: { id: 2, tells: [...groups, 'status', ...people], hasHours: true },
  tags: { id: 3, tells: [...all, 'label'], label: 'tag' },
  endUsers: { id: 4, tells: [...all, 'label'], label: 'endUser' },
} as const satisfies Readonly<Record<FoldedFacetName, Facet>>;

/** Those that are made of the others once a day is over: each tells as little as a question needs that is asked often. */
export const settledFacets = {
  organisations: { id: 5, tells: ['organisation_id', 'status'], hasHours: true, madeOf: 'models' },
  /** Of everybody together. */
  asks: { id: 6, tells: ['status', ...asks], hasHours: true, madeOf: 'models' },
  groups: { id: 7, tells: [...groups, 'status'], madeOf: 'models' },
  overview: { id: 8, tells: ['organisation_id', 'status', ...asks], madeOf: 'models' },
  callers: { id: 9, tells: [...groups, ...people], madeOf: 'people' },
  labelTags: {
    id: 10,
    tells: ['organisation_id', 'department_id', 'label'],
    label: 'tag',
    madeOf: 'tags',
  },
  labelEndUsers: {
    id: 11,
    tells: ['organisation_id', 'department_id', 'label'],
    label: 'endUser',
    madeOf: 'endUsers',
  },
} as const satisfies Readonly<Record<string, Facet>>;

/** One row a week for each of what is ranked: the dearest of a week are the first by its cost. */
export const rankedFacets = {
  endUsersOfAll: { id: 12, tells: ['label'], label: 'endUser', weeksOf: 'labelEndUsers' },
} as const satisfies Readonly<Record<string, Facet>>;

/** Those that are of weeks alone. */
export const weeklyFacets = {
  ...rankedFacets,
  /** Not how they were answered: of many end users together with models or keys. */
  endUserAsks: {
    id: 13,
    tells: [...groups, ...people, 'model', 'label'],
    label: 'endUser',
    weeksOf: 'endUsers',
  },
} as const satisfies Readonly<Record<string, Facet>>;

export const facets = { ...foldedFacets, ...settledFacets, ...weeklyFacets } as const;

/** Those with the fewest rows first. */
const byRows: readonly Facet[] = [
  ...[facets.organisations, facets.asks, facets.groups, facets.overview],
  ...[facets.callers, facets.models, facets.people, facets.detail],
  ...[facets.labelTags, facets.tags],
  ...[facets.labelEndUsers, facets.endUsers],
];

/** The one with the fewest rows that tells apart what is asked for; undefined where none does. */
export function facetTelling(columns: ReadonlySet<SumColumn>, label: Facet['label']): Facet | undefined {
  return byRows.find(
    (facet) => facet.label === label && [...columns].every((column) => facet.tells.includes(column)),
  );
}

/** The one that has also what is not settled. */
export const foldedOf = (facet: Facet): Facet =>
  facet.madeOf === undefined ? facet : foldedFacets[facet.madeOf];

/** The one whose days the weeks of a facet are made of. */
export const daysOf = (facet: Facet): Facet => (facet.weeksOf === undefined ? facet : facets[facet.weeksOf]);

/** The one whose weeks can stand for those of a facet, since they tell what is asked for too, in fewer rows. */
export const weeksTelling = (columns: ReadonlySet<SumColumn>, facet: Facet): Facet | undefined =>
  [weeklyFacets.endUserAsks].find(
    (each: Facet) => daysOf(each) === facet && [...columns].every((column) => each.tells.includes(column)),
  );

/** Of which there are sums of hours; undefined where there are none that tell as much. */
export const hourlyOf = (facet: Facet): Facet | undefined =>
  [facet, foldedOf(facet)].find(({ hasHours }) => hasHours);
