/** The organisations and portals of the configuration file. Its identity providers stay in memory, with their secrets. */
import { replaceManagedHosts, setDataLock, upsertManagedOrganisation } from '../identity/index.ts';
import type { Work } from '../storage/work.ts';
import { type ConfigurationFile, locating } from './file.ts';

/**
 * An organisation that is declared no more is left alone, since people belong to it; a portal ends.
 * @returns whether anything changed.
 */
export async function applySignIn(work: Work, file: ConfigurationFile): Promise<boolean> {
  const ids = new Map<string, number>();
  let changed = false;
  for (const [index, { slug, name, ...demands }] of file.content.organisations.entries()) {
    const written = await locating(file, ['organisations', index], () =>
      upsertManagedOrganisation(work, { slug, name }),
    );
    const organisationId = written.organisation.id;
    ids.set(slug, organisationId);
    changed ||= written.changed;
    const { data_policy: ofAll, departments } = demands;
    if (ofAll !== undefined) changed = (await setDataLock(work, { organisationId }, ofAll)) || changed;
    for (const { name: department, data_policy: lock } of departments) {
      changed = (await setDataLock(work, { organisationId, department }, lock)) || changed;
    }
  }
  const hosts = file.content.portals.flatMap(({ host, name, accent, organisation }, at) => {
    const organisationId = ids.get(organisation);
    if (organisationId === undefined) return [];
    return [{ host, name, accent: accent ?? null, logo: file.logos.get(at) ?? null, organisationId }];
  });
  return (await replaceManagedHosts(work, hosts)) || changed;
}
