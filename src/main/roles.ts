/** What of the program a process does: everything, or the part that its role names. */

export const roles = ['all', 'gateway', 'portal', 'jobs'] as const;
export type Role = (typeof roles)[number];

export interface Duties {
  /** The addresses of clients: `/v1`, `/v1beta` and their like. */
  readonly gateway: boolean;
  /** The pages, and the account API. */
  readonly portal: boolean;
  /** What is done beside requests: mails, sums, partitions, ends of promotions. */
  readonly jobs: boolean;
}

export const dutiesOf = (role: Role): Duties => ({
  gateway: role === 'all' || role === 'gateway',
  portal: role === 'all' || role === 'portal',
  jobs: role === 'all' || role === 'jobs',
});
