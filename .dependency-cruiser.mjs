/** The walls of the house (see ARCHITECTURE.md): which room may import which, and by which door. Read by bin/walls.mjs. */

/** Each room of src/ and the rooms it may import besides itself. Main may import every room. */
export const rooms = {
  base: [],
  http: ['base'],
  storage: ['base'],
  protocols: ['base'],
  providers: ['protocols', 'base'],
  identity: ['storage', 'base'],
  catalogue: ['storage', 'base'],
  ledger: ['storage', 'base'],
  limits: ['storage', 'base'],
  usage: ['storage', 'base'],
  audit: ['storage', 'base'],
  conversations: ['storage', 'base'],
  notifications: ['storage', 'base'],
  payments: ['ledger', 'storage', 'base'],
  routing: ['catalogue', 'providers', 'protocols', 'storage', 'base'],
  upstream: ['routing', 'catalogue', 'providers', 'protocols', 'http', 'base'],
  quality: ['upstream', 'routing', 'usage', 'storage', 'base'],
  configuration: ['identity', 'catalogue', 'ledger', 'providers', 'storage', 'base'],
  gateway: [
    ...['upstream', 'routing', 'limits', 'ledger', 'usage', 'identity'],
    ...['catalogue', 'providers', 'protocols', 'base'],
  ],
  portal: [
    ...['configuration', 'upstream', 'routing', 'quality', 'payments', 'limits', 'ledger', 'usage'],
    ...['identity', 'catalogue', 'conversations', 'notifications', 'audit', 'base'],
  ],
  'account-api': ['notifications', 'identity', 'catalogue', 'limits', 'usage', 'base'],
  jobs: [
    ...['upstream', 'routing', 'catalogue', 'payments', 'quality', 'ledger'],
    ...['usage', 'identity', 'notifications', 'storage', 'base'],
  ],
};

/** These are collections, entered at any of their files; every other room is entered by its index.ts. */
const openRooms = ['base', 'storage', 'protocols', 'providers'];

/** The order inside protocols, lowest floor first: a file imports its own folder and those before it, never one behind. */
export const protocolFloors = [
  ...['json', 'frames', 'audio-file', 'turn', '*.ts'],
  ...['chat-completions', 'messages', 'responses', 'native', 'google', 'converse'],
  ...['token-count', 'embeddings', 'rerank', 'transcription', 'speech'],
  'translate',
];

/** Tests, cases that several tests run, and what only they use. */
const tests = ['\\.(test|cases)\\.tsx?$', '/testing/'];

const roomRules = Object.entries(rooms).map(([room, allowed]) => ({
  name: `room-${room}`,
  comment: `${room} may import ${['itself', ...allowed].join(', ')}`,
  severity: 'error',
  from: { path: `^src/${room}/`, pathNot: tests },
  to: { path: '^src/', pathNot: `^src/(${[room, ...allowed].join('|')})/` },
}));

/** `*.ts` are the files at the top, which say what a protocol and a translator are. */
const pathOf = (floor) => (floor === '*.ts' ? '[^/]+\\.ts$' : `${floor}/`);
const pathsOf = (floors) => `^src/protocols/(${floors.map(pathOf).join('|')})`;

const floorRules = protocolFloors.map((floor, at) => ({
  name: `floor-${floor}`,
  comment: 'inside protocols nothing imports upward',
  severity: 'error',
  from: { path: pathsOf([floor]), pathNot: tests },
  to: { path: '^src/protocols/', pathNot: pathsOf(protocolFloors.slice(0, at + 1)) },
}));

const houseRules = [
  {
    name: 'unknown-protocol',
    comment: 'every folder of src/protocols stands on a floor',
    severity: 'error',
    from: { path: '^src/protocols/', pathNot: [pathsOf(protocolFloors), ...tests] },
    to: {},
  },
  {
    name: 'unknown-room',
    comment: 'every file of src/ belongs to a room that the table of walls names',
    severity: 'error',
    from: { path: '^src/', pathNot: `^src/(${['main', ...Object.keys(rooms)].join('|')})/` },
    to: {},
  },
  {
    name: 'by-the-door',
    comment: 'from outside, a room is entered by its index.ts',
    severity: 'error',
    from: { path: '^src/([^/]+)/', pathNot: tests },
    to: {
      path: '^src/[^/]+/.',
      pathNot: ['^src/$1/', '^src/[^/]+/index\\.ts$', `^src/(${openRooms.join('|')})/`],
    },
  },
  {
    name: 'no-circles',
    comment: 'files that need each other, types included, are one file or need a third',
    severity: 'error',
    from: {},
    to: { circular: true },
  },
  {
    name: 'no-source-imports-tests',
    comment: 'tests know the source, not the other way round',
    severity: 'error',
    from: { path: '^src/', pathNot: tests },
    to: { path: ['^(test|bench)/', ...tests] },
  },
  {
    name: 'no-development-packages',
    comment: 'production is installed without devDependencies',
    severity: 'error',
    from: { path: '^src/', pathNot: tests },
    to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'no-lost-imports',
    comment: 'an import that leads nowhere hides what stands behind it',
    severity: 'error',
    from: {},
    to: { couldNotResolve: true, path: '^\\.' },
  },
];

export default {
  forbidden: [...roomRules, ...floorRules, ...houseRules],
  options: {
    // The one parser of the tool that reads TypeScript 7's sources; it keeps `import type`.
    parser: 'swc',
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^src/storage/migrations/' },
  },
};
