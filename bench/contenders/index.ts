/** Who takes part: those that were asked for and are installed. */
import { bare } from './bare.ts';
import { type Contender, type ContenderName, contenderNames } from './contender.ts';
import { direct } from './direct.ts';
import { findNginx } from './nginx.ts';
import { findPortkey } from './portkey.ts';
import { findPostgres } from './postgres.ts';
import { sluiceEmbedded, sluiceOnPostgres } from './sluice.ts';

export interface Field {
  readonly contenders: readonly Contender[];
  /** A line for each that was asked for and is missing. */
  readonly missing: readonly string[];
}

export async function findContenders(wanted: readonly ContenderName[], postgresUrl?: string): Promise<Field> {
  const contenders: Contender[] = [];
  const missing: string[] = [];
  for (const name of contenderNames.filter((known) => wanted.includes(known))) {
    const contender = await find(name, postgresUrl);
    if (contender === undefined) missing.push(`${name}: ${reasons[name]}`);
    else contenders.push(contender);
  }
  return { contenders, missing };
}

const reasons: Readonly<Record<ContenderName, string>> = {
  direct: '',
  bare: '',
  nginx: 'nginx is not installed (Debian package nginx)',
  portkey: 'its package could not be installed, or there is no Node',
  sluice: '',
  'sluice-postgres': 'no PostgreSQL server could be started (Debian package postgresql)',
};

async function find(name: ContenderName, postgresUrl: string | undefined): Promise<Contender | undefined> {
  switch (name) {
    case 'direct':
      return direct;
    case 'bare':
      return bare;
    case 'nginx':
      return findNginx();
    case 'portkey':
      return findPortkey();
    case 'sluice':
      return sluiceEmbedded();
    case 'sluice-postgres':
      return postgresUrl === undefined ? undefined : sluiceOnPostgres(await findPostgres(postgresUrl));
  }
}
