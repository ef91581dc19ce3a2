import { describe, expect, test } from 'bun:test';
import { meters } from '../../catalogue/index.ts';
import { keyScopes, userRoles } from '../../identity/index.ts';
import { budgetPeriods, budgetReceivers } from '../../ledger/index.ts';
import { preferenceKinds } from '../../notifications/index.ts';
import { mailKinds } from '../../notifications/mail-kinds.ts';
import { type AuditAction, auditActions } from '../../storage/audit-trail.ts';
import { eventFacts } from '../../storage/events.ts';
import {
  type AuditDetails,
  type AuditField,
  type AuditValue,
  auditFields,
} from '../../storage/schema/audit.ts';
import { activityWords } from '../languages/activity/index.ts';
import { languages } from '../languages/language.ts';
import { figuresIn } from '../ui/figures.ts';
import { tellFacts } from './activity-facts.ts';

const moment = '2026-11-22T14:32:07.000Z';
const limits = [60, null];
const locks: readonly AuditValue[] = [['atlas-4', 'brook'], [], null];

/** What the code writes in each, as it writes it. */
const samples: Readonly<Record<AuditField, readonly AuditValue[]>> = {
  role: userRoles,
  status: ['active', 'unverified', 'suspended', 'archived'],
  language: [...languages, null],
  method: ['password', 'link', 'passkey', 'invite', 'password+totp', 'password+recovery', 'acme'],
  version: ['2026-11-22', 7],
  provider: ['acme', null],
  sessions: [1, 3],
  departmentId: [3, 4, null],
  projectId: [3, 4, null],
  scopes: [keyScopes],
  expiresAt: [moment, null],
  renamed: [true],
  overlapHours: [0, 1, 24],
  overlapEnded: [true],
  strictOutput: [true, false],
  rescue: [true, false, null],
  dataPolicy: [
    null,
    { zdr: true },
    { data_collection: 'deny', regions: ['eu'], quantizations: [] },
    { data_collection: 'allow' },
  ],
  allowedModels: locks,
  allowedProviders: locks,
  allowedRegions: locks,
  requestsPerMinute: limits,
  tokensPerMinute: limits,
  concurrentRequests: limits,
  usd: ['20', '-0.000000004', '1234.5'],
  period: budgetPeriods,
  receivers: budgetReceivers,
  name: ['Autumn'],
  until: [moment, null],
  journal: [41],
  from: [moment, '1970-01-01T00:00:00.000Z'],
  nanoUsdPerMillion: meters.map((meter) => [`${meter} 3000000000`]),
  kind: [],
  preferences: [1, 4],
  contacts: [1, 2],
  mails_a_day: [100],
  host: ['hooks.example.com'],
  enabled: [true, false],
  failures: [1, 20],
};

/** What nobody should read: names of members and values, moments of machines, structure. */
const raw = /[a-z]_[a-z]|\d{4}-\d\d-\d\d|\b(?:true|false|null|undefined|NaN)\b|[{}[\]]|nano/i;

const writingIn = (language: (typeof languages)[number]) => ({
  language,
  figures: figuresIn(language),
  names: new Map([
    ['department 3', 'Sales'],
    ['project 3', 'Search'],
  ]),
  providers: [{ name: 'acme', label: 'Acme login' }],
});
const tell = (
  action: AuditAction,
  details: AuditDetails,
  language: (typeof languages)[number] = 'en',
  subject: { readonly label?: string; readonly kind?: string; readonly id?: string } = {},
) => {
  const { label, kind = 'person', id = '1' } = subject;
  const personal = label === undefined ? {} : { label };
  return tellFacts({ action, details, personal, subjectKind: kind, subjectId: id }, writingIn(language)).join(
    ' · ',
  );
};

describe('what an entry of the activity tells', () => {
  test.each(languages)('is words, dates and money, whichever field it is (%s)', (language) => {
    for (const field of auditFields) {
      const values = samples[field];
      expect({ field, values }).toEqual({ field, values: expect.any(Array) });
      for (const to of values) {
        for (const details of [{ [field]: to }, { [field]: { from: values[0] ?? null, to } }]) {
          expect(tell('key.changed', details, language)).not.toMatch(raw);
        }
      }
    }
  });

  test.each(languages)('names roles, scopes, mails, events and bookings by words (%s)', (language) => {
    const kinds: readonly (readonly [AuditAction, readonly string[]])[] = [
      ['account.mail_given_up', Object.keys(mailKinds)],
      ['notification.given_up', Object.keys(eventFacts)],
      ['notification.unsubscribed', preferenceKinds.map(({ kind }) => kind)],
      ['notification.held_back', Object.keys(eventFacts)],
      ['webhook.given_up', Object.keys(eventFacts)],
    ];
    for (const [action, all] of kinds) {
      for (const kind of all) {
        const told = tell(action, { kind }, language);
        expect(told).not.toMatch(raw);
        expect(told).not.toBe(kind);
        expect(told).not.toMatch(/[a-z]\.[a-z]/);
      }
    }
    for (const role of userRoles) expect(tell('account.created', { role }, language)).not.toContain('_');
    for (const scope of keyScopes) {
      expect(tell('key.created', { scopes: [scope] }, language)).not.toMatch(/inference|: read|account/);
    }
    for (const period of budgetPeriods) {
      expect(tell('budget.set', { period, usd: '5' }, language)).not.toMatch(/ly\b/);
      expect(tell('budget.removed', { period }, language)).not.toMatch(/ly\b/);
    }
  });

  test('has words for everything that is noted', () => {
    for (const language of languages) {
      const { actions, areas } = activityWords[language];
      for (const action of auditActions) {
        expect({ action, words: actions[action] }).toEqual({ action, words: expect.any(String) });
        expect(areas[action.slice(0, action.indexOf('.'))]).toBeTruthy();
      }
    }
  });

  test.each([
    ['account.created', { role: 'platform_owner' }, 'Platform owner'],
    [
      'account.role_changed',
      { role: { from: 'member', to: 'org_admin' } },
      'Member → Admin of the organisation',
    ],
    ['account.terms_accepted', { version: '2026-11-22' }, 'version of 22 Nov 2026'],
    ['session.started', { method: 'password+totp' }, 'with the password and a code'],
    ['session.started', { method: 'acme' }, 'with Acme login'],
    [
      'key.created',
      { scopes: ['inference', 'read'], expiresAt: null },
      'May: send requests, look up usage and limits · Expires: never',
    ],
    [
      'key.changed',
      {
        allowedModels: { from: null, to: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] },
        departmentId: { from: null, to: 3 },
        renamed: true,
      },
      'Models: Every model → a, b, c, d, e, f and 2 more · Department: – → Sales · Renamed',
    ],
    ['key.changed', { expiresAt: { from: null, to: moment } }, 'Expires: never → 22 Nov 2026, 14:32:07 UTC'],
    ['key.rotated', { overlapHours: 24 }, 'Token before it: works for 24 hours more'],
    ['wallet.credited', { usd: '20' }, '$20.00'],
    ['wallet.reversed', { journal: 41, kind: 'deposit', usd: '-20' }, 'Payment · -$20.00'],
    ['budget.set', { period: 'monthly', usd: '100' }, '$100.00 a month'],
    ['budget.removed', { period: 'monthly' }, 'A month'],
    [
      'price.set',
      { provider: null, from: moment, nanoUsdPerMillion: ['input 150000000'] },
      'From: 22 Nov 2026, 14:32:07 UTC · Input: $0.15 per million',
    ],
  ] as const)('%s is told as people would say it', (action, details, told) => {
    expect(tell(action, details)).toBe(told);
  });

  test('names its subject, by its label or by what has its id now', () => {
    expect(tell('key.revoked', {}, 'en', { label: 'production' })).toBe('production');
    expect(tell('budget.removed', { period: 'daily' }, 'en', { kind: 'department', id: '3' })).toBe(
      'Sales · A day',
    );
    expect(tell('budget.removed', { period: 'daily' }, 'en', { kind: 'department', id: '4' })).toBe('A day');
  });
});
