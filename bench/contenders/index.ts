/** Who takes part: those that were asked for and are installed. */
import { bare } from './bare.ts';
import { type Contender, type ContenderName, contenderNames, nowOf } from './contender.ts';
import { direct } from './direct.ts';
import { findNginx } from './nginx.ts';
import { findPortkey } from './portkey.ts';
import { findPostgres } from './postgres.ts';
import { editionBefore, sluiceEmbedded, sluiceOnPostgres, sluiceWithWorkers } from './sluice.ts';

export interface Field {
  readonly contenders: readonly Contender[];
  /** A line for each that was asked for and is missing. */
  readonly missing: readonly string[];
}

export interface Wanted {
  readonly names: readonly ContenderName[];
  /** A folder with another checkout, to be held against this one. */
  readonly before: string | undefined;
  readonly postgresUrl: string | undefined;
}

/** The earlier editions take part beside those of this checkout. */
export async function findContenders(wanted: Wanted): Promise<Field> {
  const contenders: Contender[] = [];
  const missing: string[] = [];
  const isWanted = (name: ContenderName) => wanted.names.includes(nowOf(name) ?? name);
  const isThere = (name: ContenderName) => nowOf(name) === undefined || wanted.before !== undefined;
  for (const name of contenderNames.filter((known) => isWanted(known) && isThere(known))) {
    const contender = await find(name, wanted);
    if (contender === undefined) missing.push(`${name}: ${reasons[name]}`);
    else contenders.push(contender);
  }
  return { contenders, missing };
}

const noPostgres = 'no PostgreSQL server could be started (Debian package postgresql)';

const reasons: Readonly<Record<ContenderName, string>> = {
  direct: '',
  bare: '',
  nginx: 'nginx is not installed (Debian package nginx)',
  portkey: 'its package could not be installed, or there is no Node',
  'sluice-before': '',
  sluice: '',
  'sluice-postgres-before': noPostgres,
  'sluice-postgres': noPostgres,
  'sluice-workers': noPostgres,
};

async function find(name: ContenderName, { before, postgresUrl }: Wanted): Promise<Contender | undefined> {
  const edition = before === undefined || nowOf(name) === undefined ? undefined : editionBefore(before);
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
    case 'sluice-before':
      return sluiceEmbedded(edition);
    case 'sluice-postgres':
    case 'sluice-postgres-before':
      return postgresUrl === undefined
        ? undefined
        : sluiceOnPostgres(await findPostgres(postgresUrl), edition);
    case 'sluice-workers':
      return postgresUrl === undefined ? undefined : sluiceWithWorkers(await findPostgres(postgresUrl));
  }
}
