/** What is compared, and how many findings there must be at least: where nothing is compared, nothing fails. */
import { compareAnswers } from './compare-answers.ts';
import { compareHosts } from './compare-hosts.ts';
import { compareRequests } from './compare-requests.ts';
import type { Finding } from './finding.ts';

interface ComparisonOfAll {
  readonly title: string;
  readonly least: number;
  compare(): Promise<Finding[]>;
}

export const comparisons: readonly ComparisonOfAll[] = [
  {
    title: 'requests keep their meaning in every protocol, but for declared losses',
    least: 600,
    compare: async () => compareRequests(),
  },
  {
    title: 'answers and streams say the same to every official client',
    least: 950,
    compare: compareAnswers,
  },
  {
    title: 'answers and streams of every host, in its own manner, say the same to every official client',
    least: 330,
    compare: compareHosts,
  },
];
