/** Preloaded by a run of tests: one source file is read with a mistake in it, and the file itself stays as it is. */
import { resolve } from 'node:path';
import { plugin } from 'bun';

const { SLUICE_MUTATED_FILE: file, SLUICE_MUTATED_SOURCE: source } = process.env;

if (file !== undefined && source !== undefined) {
  const path = resolve(file);
  plugin({
    name: 'mutated',
    setup(build) {
      const pattern = new RegExp(`^${path.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
      build.onLoad({ filter: pattern }, () => ({ contents: source, loader: 'ts' }));
    },
  });
}
