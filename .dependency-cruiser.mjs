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

/** Each file of src/storage/schema and the room whose tables it holds. */
export const schemaOwners = {
  columns: 'storage',
  'database-identity': 'storage',
  ...{ identity: 'identity', 'sign-in': 'identity', 'api-keys': 'identity', exports: 'identity' },
  ...{ catalogue: 'catalogue', servers: 'catalogue' },
  ...{ ledger: 'ledger', budgets: 'ledger' },
  ...{ usage: 'usage', 'provider-troubles': 'usage' },
  ...{ notifications: 'notifications', events: 'notifications' },
  ...{ contacts: 'notifications', webhooks: 'notifications' },
  audit: 'audit',
  'token-events': 'routing',
};

/** Files with queries that join tables of another room, which ones, and why. They read there and never write. */
export const schemaReaders = [
  {
    file: 'audit/activity.ts',
    reads: ['identity'],
    why: 'an entry shows the addresses of whom it is about and who did it',
  },
  {
    file: 'audit/names.ts',
    reads: ['identity', 'api-keys', 'catalogue', 'contacts'],
    why: 'the trail keeps ids, and what they are called now stands where the things are',
  },
  {
    file: 'identity/account-removal.ts',
    reads: ['budgets'],
    why: 'an account that the configuration file gives a budget stays',
  },
  {
    file: 'identity/unverified-keeper.ts',
    reads: ['ledger', 'budgets'],
    why: 'an account that the books or the configuration file refer to stays',
  },
  {
    file: 'ledger/budget-keeper.ts',
    reads: ['identity', 'api-keys'],
    why: 'a budget goes with whom it is of',
  },
  {
    file: 'ledger/threshold-keeper.ts',
    reads: ['identity', 'api-keys'],
    why: 'what is told of a budget says whose it is, and goes to who answers for it',
  },
  {
    file: 'notifications/contacts.ts',
    reads: ['identity'],
    why: 'who makes contacts of an account holds its row',
  },
  {
    file: 'notifications/event-mail.ts',
    reads: ['identity'],
    why: 'a mail names the account and its reseller',
  },
  {
    file: 'notifications/event-spreader.ts',
    reads: ['identity'],
    why: 'a group has the webhooks of its people',
  },
  {
    file: 'notifications/moved-mails.ts',
    reads: ['identity'],
    why: 'the own address of an account is told of everything',
  },
  {
    file: 'notifications/told-contacts.ts',
    reads: ['identity'],
    why: 'roles and states say who is told of what',
  },
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

const schemaRules = Object.entries(schemaOwners).map(([schema, room]) => ({
  name: `tables-of-${schema}`,
  comment: `${schema}.ts holds tables of ${room}: only ${room} writes them, and who joins them stands in schemaReaders`,
  severity: 'error',
  from: {
    path: '^src/',
    pathNot: [`^src/(storage|${room})/`, ...readersOf(schema), ...tests],
  },
  to: { path: `^src/storage/schema/${schema}\\.ts$` },
}));

function readersOf(schema) {
  return schemaReaders
    .filter(({ reads }) => reads.includes(schema))
    .map(({ file }) => `^src/${file.replaceAll('.', '\\.')}$`);
}

const houseRules = [
  {
    name: 'unknown-tables',
    comment: 'every file of src/storage/schema has a room that schemaOwners names',
    severity: 'error',
    from: {
      path: '^src/storage/schema/',
      pathNot: `^src/storage/schema/(${Object.keys(schemaOwners).join('|')})\\.ts$`,
    },
    to: {},
  },
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
  forbidden: [...roomRules, ...floorRules, ...schemaRules, ...houseRules],
  options: {
    // The one parser of the tool that reads TypeScript 7's sources; it keeps `import type`.
    parser: 'swc',
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^src/storage/migrations/' },
  },
};
