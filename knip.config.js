/**
 * Dead code, for `npm run dead-code`: what nothing uses, and with `--production` also what only tests use. Patterns that
 * end in `!` are production; https://knip.dev/features/production-mode tells more.
 */

/** What a file exports and uses itself is not dead when a test uses it too; without tests, its `export` is too much. */
const isProduction = process.argv.includes('--production');

export default {
  entry: [
    'src/main/sluice.ts!',
    'src/**/*worker.ts!',
    'src/portal/ui/islands/*.ts!',
    'src/protocols/json/testing/measure-parsed.ts',
    '{src,test}/**/*.test.{ts,tsx}',
    'bench/*.ts',
    'bench/load/health-watch.ts',
    'bench/probe/preload.ts',
    'bin/{bank,bench,captures,check,clients,demo,faults,fuzz,linearity,mutation,page-times,path-length,screenshots,simulation,sluice,steadiness,test,mail-scale,usage-scale,walls}.mjs',
    'test/{bank,captures,clients,demo,faults,fuzz,linearity,mail-scale,mutation,page-times,simulation,usage-scale}/main.ts',
    'test/browser/screenshots.ts',
    'test/mail-scale/receiver.ts',
    'test/mutation/mutated.ts',
    'test/path-length/requests.ts',
    'test/support/**/main.ts',
  ],
  project: [
    'src/**/*.{ts,tsx}!',
    '!src/**/{fixtures,testing}/**!',
    '!src/**/*.{test,cases,test-data}.{ts,tsx}!',
    'test/**/*.{ts,tsx}',
    'bench/**/*.ts',
    'bin/*.mjs',
    '*.ts',
  ],
  ignoreDependencies: ['bun', 'dependency-cruiser'],
  ignoreExportsUsedInFile: isProduction || { interface: true, type: true },
};
