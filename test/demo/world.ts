/** Who lives in the demonstration: two organisations and a few people beside them, their keys, and what each key is for. */
import type { UserRole } from '../../src/identity/index.ts';

export interface DemoPerson {
  /** Before the `@` of their address. */
  readonly alias: string;
  readonly name: string;
  readonly role: UserRole;
  /** By the names below; nobody's where not given. */
  readonly organisation?: string;
  readonly department?: string;
  readonly exempt?: boolean;
}

export const mailDomain = 'demo.example';

export const organisations = [
  {
    name: 'Halden Robotics',
    departments: ['Engineering', 'Support', 'Research'],
    projects: [
      { name: 'Help desk', department: 'Support' },
      { name: 'Code review', department: 'Engineering' },
      { name: 'Manual search', department: 'Engineering' },
      { name: 'Evaluation', department: 'Research' },
      { name: 'Voice of the robot', department: 'Research' },
    ],
    billing: 'agnes',
  },
  {
    name: 'Brightwater Clinics',
    departments: ['Records', 'Front desk'],
    projects: [{ name: 'Letters', department: 'Records' }],
    billing: 'ruth',
  },
] as const;

const halden = { organisation: 'Halden Robotics' } as const;
const clinics = { organisation: 'Brightwater Clinics' } as const;
const engineering = { ...halden, department: 'Engineering' };
const support = { ...halden, department: 'Support' };
const research = { ...halden, department: 'Research' };

export const people: readonly DemoPerson[] = [
  { alias: 'olga', name: 'Olga Petersen', role: 'platform_owner', exempt: true },
  { alias: 'pavel', name: 'Pavel Novák', role: 'platform_admin', exempt: true },
  { alias: 'agnes', name: 'Agnes Lindqvist', role: 'org_owner', ...halden },
  { alias: 'bruno', name: 'Bruno Castell', role: 'org_admin', ...halden },
  { alias: 'carla', name: 'Carla Weiss', role: 'department_admin', ...engineering },
  { alias: 'dmitri', name: 'Dmitri Okonkwo', role: 'department_admin', ...support },
  { alias: 'elena', name: 'Elena Marchetti', role: 'department_admin', ...research },
  { alias: 'felix', name: 'Felix Brandt', role: 'member', ...engineering },
  { alias: 'grace', name: 'Grace Mwangi', role: 'member', ...engineering },
  { alias: 'hugo', name: 'Hugo Lefèvre', role: 'member', ...engineering },
  { alias: 'irene', name: 'Irene Soler', role: 'member', ...support },
  { alias: 'jonas', name: 'Jonas Becker', role: 'member', ...support },
  { alias: 'kavya', name: 'Kavya Raman', role: 'member', ...research },
  { alias: 'liam', name: 'Liam O’Connor', role: 'member', ...research },
  { alias: 'mei', name: 'Mei Tanaka', role: 'member', ...research },
  { alias: 'ruth', name: 'Ruth Abrams', role: 'org_owner', ...clinics },
  { alias: 'sven', name: 'Sven Dahl', role: 'department_admin', ...clinics, department: 'Records' },
  { alias: 'tala', name: 'Tala Haddad', role: 'member', ...clinics, department: 'Front desk' },
  { alias: 'vera', name: 'Vera Kowalska', role: 'member' },
];

/** When somebody or something asks: at work, day and night, or in the small hours. */
export type Rhythm = 'office' | 'always' | 'night';
/** What a request looks like: a long session that reads from a cache, a short question, a batch, or another kind of model. */
export type Habit = 'agent' | 'chat' | 'batch' | 'embed' | 'listen' | 'speak';

export interface DemoKey {
  readonly name: string;
  readonly owner: string;
  readonly project?: string;
  /** Its share of all requests, against the other keys. */
  readonly weight: number;
  readonly rhythm: Rhythm;
  readonly habit: Habit;
  readonly models: readonly (readonly [weight: number, model: string])[];
  /** After this part of the time it began. */
  readonly begins?: number;
  /** After this part of the time it was used no more. */
  readonly ends?: number;
  readonly tags?: readonly string[];
  /** On behalf of so many people. */
  readonly endUsers?: number;
  readonly state?: 'disabled' | 'expiring';
}

const sonnet = 'claude-sonnet-5-5';
const haiku = 'claude-haiku-4-5';
const opus = 'claude-opus-5-5';
const sol = 'gpt-6.1-sol';
const luna = 'gpt-6-luna';
const mini = 'gpt-5.4-mini';
const flash = 'gemini-3.5-flash';
const lite = 'gemini-3.1-flash-lite';
const llama = 'groq/llama-3.3-70b-versatile';
const deepseek = 'deepseek-flash';
const embedding = 'text-embedding-3-large';

const office = { rhythm: 'office' } as const;
const agent = { ...office, habit: 'agent' } as const;
const chat = { ...office, habit: 'chat' } as const;

/** Forty of them. */
export const keys: readonly DemoKey[] = [
  ...(
    [
      ['felix', 5],
      ['grace', 4],
      ['hugo', 3],
      ['carla', 2],
    ] as const
  ).map(([owner, weight], place) => ({
    ...{ name: `claude-code-${owner}`, owner, weight, ...agent, project: 'Code review' },
    models: [
      [6, sonnet],
      [2, haiku],
      [1, opus],
    ] as const,
    begins: 0.1 + 0.15 * place,
  })),
  ...(['kavya', 'liam', 'mei', 'elena', 'hugo', 'carla', 'bruno'] as const).map((owner, place) => ({
    ...{ name: `notebook-${owner}`, owner, weight: 1.5, ...chat },
    models: [
      [3, sol],
      [2, sonnet],
      [2, flash],
      [1, deepseek],
    ] as const,
    begins: 0.05 * place,
  })),
  ...(['irene', 'jonas', 'dmitri', 'bruno', 'agnes', 'tala', 'sven', 'ruth', 'pavel', 'olga'] as const).map(
    (owner, place) => ({
      ...{ name: `desk-${owner}`, owner, weight: 0.5, ...chat },
      models: [
        [3, mini],
        [2, luna],
        [1, haiku],
      ] as const,
      begins: 0.04 * place,
    }),
  ),
  {
    ...{ name: 'help-desk-live', owner: 'dmitri', project: 'Help desk', weight: 16, endUsers: 400 },
    ...{ rhythm: 'always', habit: 'chat', tags: ['stage=live', 'channel=web'] },
    models: [
      [7, haiku],
      [3, mini],
    ],
  },
  {
    ...{ name: 'help-desk-staging', owner: 'irene', project: 'Help desk', weight: 1, ...chat },
    ...{ tags: ['stage=staging'], models: [[1, haiku]] },
  },
  {
    ...{ name: 'help-desk-summaries', owner: 'jonas', project: 'Help desk', weight: 5 },
    ...{ rhythm: 'night', habit: 'batch', tags: ['job=summaries'], models: [[1, lite]] },
  },
  {
    ...{ name: 'manual-search', owner: 'carla', project: 'Manual search', weight: 9, endUsers: 250 },
    ...{ rhythm: 'always', habit: 'chat', begins: 0.3, tags: ['stage=live'] },
    models: [
      [5, flash],
      [2, llama],
    ],
  },
  {
    ...{ name: 'manual-search-index', owner: 'hugo', project: 'Manual search', weight: 8, begins: 0.3 },
    ...{ rhythm: 'night', habit: 'embed', models: [[1, embedding]] },
  },
  {
    ...{ name: 'manual-search-questions', owner: 'carla', project: 'Manual search', weight: 6, begins: 0.3 },
    ...{ rhythm: 'always', habit: 'embed', models: [[1, embedding]] },
  },
  {
    ...{ name: 'ci-review', owner: 'carla', project: 'Code review', weight: 6, tags: ['ci'], ...agent },
    models: [
      [3, sonnet],
      [1, sol],
    ],
  },
  {
    ...{ name: 'ci-commit-messages', owner: 'grace', project: 'Code review', weight: 3, ...chat },
    ...{ tags: ['ci'], models: [[1, luna]] },
  },
  {
    ...{ name: 'nightly-evals', owner: 'elena', project: 'Evaluation', weight: 7 },
    ...{ rhythm: 'night', habit: 'batch', tags: ['suite=nightly'] },
    models: [
      [2, sol],
      [2, sonnet],
      [2, flash],
      [2, deepseek],
      [1, llama],
    ],
  },
  {
    ...{ name: 'evals-judge', owner: 'mei', project: 'Evaluation', weight: 3, begins: 0.2 },
    ...{ rhythm: 'night', habit: 'batch', tags: ['suite=nightly', 'judge'], models: [[1, opus]] },
  },
  {
    ...{ name: 'evals-old-runner', owner: 'liam', project: 'Evaluation', weight: 2, ends: 0.55 },
    ...{ rhythm: 'night', habit: 'batch', models: [[1, 'gpt-5.1']], state: 'disabled' },
  },
  {
    ...{ name: 'robot-ears', owner: 'kavya', project: 'Voice of the robot', weight: 3, begins: 0.4 },
    ...{ rhythm: 'office', habit: 'listen', models: [[1, 'whisper-1']] },
  },
  {
    ...{ name: 'robot-voice', owner: 'kavya', project: 'Voice of the robot', weight: 3, begins: 0.4 },
    ...{ rhythm: 'office', habit: 'speak', models: [[1, 'tts-1']] },
  },
  {
    ...{ name: 'robot-mind', owner: 'mei', project: 'Voice of the robot', weight: 4, begins: 0.4, ...agent },
    models: [
      [2, llama],
      [1, luna],
    ],
  },
  {
    ...{ name: 'letters-live', owner: 'sven', project: 'Letters', weight: 7, endUsers: 60, ...chat },
    ...{ tags: ['stage=live'] },
    models: [
      [3, sonnet],
      [1, haiku],
    ],
  },
  {
    ...{ name: 'letters-check', owner: 'sven', project: 'Letters', weight: 3, begins: 0.5 },
    ...{ rhythm: 'night', habit: 'batch', models: [[1, mini]] },
  },
  { name: 'front-desk', owner: 'tala', weight: 2, ...chat, models: [[1, flash]], endUsers: 40 },
  { name: 'home-assistant', owner: 'vera', weight: 1, rhythm: 'always', habit: 'chat', models: [[1, mini]] },
  {
    ...{ name: 'hackathon', owner: 'hugo', weight: 0.4, begins: 0.8, ...chat, state: 'expiring' },
    models: [[1, sol]],
  },
];
