/** What the list of keys, a key by itself and its form are drawn from. */
import type { ActivityEntry, NamesOfThings } from '../../../audit/index.ts';
import type { ApiKey, Department, KeyState, ListedKey, Project, User } from '../../../identity/index.ts';
import type { LimitReport } from '../../../limits/index.ts';
import type { StoredUsageRecord, UsageReport } from '../../../usage/index.ts';
import type { Lockable } from './key-fields.ts';
import type { BudgetNow } from './key-parts.tsx';
import type { FormValues } from './key-values.ts';
import type { KeyRights } from './the-key.ts';

export interface KeyDetailProps extends KeyRights {
  readonly apiKey: ApiKey;
  /** The beginnings of the days that are shown, oldest first. */
  readonly days: readonly number[];
  readonly byDay: UsageReport['rows'];
  readonly byModel: UsageReport['rows'];
  /** Whether there are models beyond those. */
  readonly hasMoreModels: boolean;
  readonly budgets: readonly BudgetNow[];
  readonly latest: readonly StoredUsageRecord[];
  /** Whether there may be requests behind those. */
  readonly hasOlder: boolean;
  /** What was done to it, newest first. */
  readonly activity: readonly ActivityEntry[];
  /** Of what stands in it by its id. */
  readonly names: NamesOfThings;
  readonly viewerId: number;
  /** Null where nothing is limited. */
  readonly limitReport: LimitReport | null;
  readonly place: readonly string[];
  readonly model: string | undefined;
  readonly address: string;
  readonly nowMs: number;
}

export interface KeyListProps {
  readonly keys: readonly ListedKey[];
  readonly total: number;
  readonly page: number;
  readonly pageSize: number;
  /** The address with its query. */
  readonly here: string;
  readonly query: {
    readonly search?: string | undefined;
    readonly state?: KeyState | undefined;
    readonly owner?: number | undefined;
    readonly department?: number | undefined;
    readonly project?: number | undefined;
    readonly sort?: string | undefined;
  };
  /** What each cost in the days shown, in nano-USD. */
  readonly spend: ReadonlyMap<number, bigint>;
  /** The same by the beginning of each day. */
  readonly courses: ReadonlyMap<number, ReadonlyMap<number, bigint>>;
  readonly days: readonly number[];
  readonly budgets: readonly (BudgetNow & { readonly subject: { readonly id: number } })[];
  readonly departments: readonly Department[];
  readonly projects: readonly Project[];
  /** Whether keys of more than one person may be here. */
  readonly isOfMany: boolean;
  /** Who looks at them. */
  readonly user: Pick<User, 'id' | 'role'>;
  readonly nowMs: number;
}

export interface KeyFormProps {
  /** Where it is sent. */
  readonly to: string;
  readonly cancelHref: string;
  readonly submit: string;
  readonly values: FormValues;
  readonly issues: Readonly<Record<string, string>>;
  readonly lockable: Lockable;
  readonly departments: readonly Department[];
  readonly projects: readonly Project[];
  /** True where the key may be somebody else's. */
  readonly choosesOwner: boolean;
  /** Of a key that there is: the revision that its form shows. */
  readonly revision: number | null;
  /** Somebody else changed the key while this form was filled in. */
  readonly isOvertaken?: boolean;
  readonly sentences: readonly string[];
}
