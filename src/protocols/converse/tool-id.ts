/** Ids of tool uses in the form that the API takes: letters, digits, hyphens and underscores, 64 at most. */
import { createHash } from 'node:crypto';
import type { ModelTraits } from './model-traits.ts';

const plain = /^[\w-]{1,64}$/;
const shortPlain = /^[a-z0-9]{9}$/i;

/** The same id is written the same way wherever it stands, and different ones stay different. */
export function writeToolId(id: string, { shortToolIds }: ModelTraits): string {
  if (shortToolIds) return shortPlain.test(id) ? id : digestOf(id).slice(0, 9);
  if (plain.test(id)) return id;
  return `${id.replaceAll(/[^\w-]/g, '_').slice(0, 40)}_${digestOf(id).slice(0, 16)}`;
}

const digestOf = (id: string): string => createHash('sha256').update(id).digest('hex');
