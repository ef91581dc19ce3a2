/** What the process environment may say, and how plainly a mistake in it is named. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Variables, writeMistake } from '../configuration/index.ts';
import { readEnvironment, requireDatabase } from './environment.ts';

const linesOf = (variables: Variables) => readEnvironment(variables).mistakes.map(writeMistake);

describe('readEnvironment', () => {
  test('needs nothing on the embedded default and listens on loopback', () => {
    const { environment, mistakes } = readEnvironment({ PATH: '/bin', HOME: '/somewhere' });
    expect(mistakes).toEqual([]);
    expect(environment).toEqual({
      host: '127.0.0.1',
      port: 8080,
      dataDir: resolve('data'),
      databaseUrl: null,
      redisUrl: null,
      secret: null,
      role: 'all',
      spoolMaxBytes: 1_073_741_824,
      isSpoolSynced: false,
      configFile: null,
      modelsShape: 'auto',
      tokenPrefix: 'sluice_',
      logLevel: 'info',
      maxBodyBytes: 33_554_432,
      bodyBudgetBytes: 536_870_912,
      keepAliveMs: 15_000,
      clientStallMs: 300_000,
      keepResponsesMs: 3_600_000,
      isIdempotencyOn: true,
      upstreamTimeouts: {
        connectMs: 5000,
        firstByteMs: 120_000,
        failOverMs: 30_000,
        wholeAnswerMs: 600_000,
        idleMs: 60_000,
      },
      failOverDeadlineMs: 120_000,
      upstreamHealth: 'on',
      drainTimeoutMs: 30_000,
      drainNoticeMs: 1000,
      metricsAddress: { host: '127.0.0.1', port: 9464 },
      metricsToken: null,
      usagePartitions: { span: 'month', retentionDays: null },
      tokenLogDays: 30,
      unverifiedRetentionDays: 30,
      smtpUrl: null,
      smtpConnections: 5,
      mailFrom: { name: 'Sluice', address: 'sluice@localhost' },
      lowBalance: { lowNanoUsd: 10_000_000_000n, veryLowNanoUsd: 2_000_000_000n },
      areUpstreamsPrivate: false,
      proxies: { http: false, https: false, except: '' },
      isTrustWaived: false,
      upstreamClient: 'own',
      areWebhooksPrivate: false,
      trustedProxies: [],
      publicUrl: null,
      legalDir: null,
      isDevelopment: false,
    });
  });

  test('reads every setting', () => {
    const { environment, mistakes } = readEnvironment({
      HOST: '0.0.0.0',
      PORT: '0',
      SLUICE_DATA_DIR: 'here/data',
      SLUICE_ROLE: 'jobs',
      SLUICE_SPOOL_FSYNC: 'on',
      DATABASE_URL: 'postgres://sluice:pass@db.internal:5432/sluice',
      REDIS_URL: 'redis://cache:6379',
      SLUICE_SECRET: 'x'.repeat(32),
      SLUICE_CONFIG: 'sluice.yaml',
      SLUICE_MODELS_SHAPE: 'openai',
      SLUICE_USAGE_PARTITIONS: 'day',
      SLUICE_USAGE_RETENTION_DAYS: '400',
      SLUICE_TOKEN_LOG_DAYS: '7',
      SLUICE_UNVERIFIED_RETENTION_DAYS: '0',
      SLUICE_SMTP_URL: 'smtps://mail.example.com',
      SLUICE_SMTP_CONNECTIONS: '20',
      SLUICE_MAIL_FROM: 'Acme AI <ai@example.com>',
      SLUICE_LOW_BALANCE_USD: '25',
      SLUICE_VERY_LOW_BALANCE_USD: '2.50',
      SLUICE_UPSTREAM_PRIVATE: 'on',
      HTTPS_PROXY: 'http://proxy.test:3128',
      no_proxy: 'internal.test',
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      SLUICE_UPSTREAM_CLIENT: 'fetch',
      SLUICE_WEBHOOKS_PRIVATE: 'on',
      SLUICE_TOKEN_PREFIX: 'acme_live_',
      SLUICE_LOG_LEVEL: 'warn',
      SLUICE_MAX_BODY_BYTES: '1048576',
      SLUICE_BODY_BUDGET_BYTES: '2097152',
      SLUICE_UPSTREAM_CONNECT_TIMEOUT_MS: '1',
      SLUICE_UPSTREAM_FIRST_BYTE_TIMEOUT_MS: '2',
      SLUICE_UPSTREAM_FAIL_OVER_AFTER_MS: '5',
      SLUICE_STREAM_KEEP_ALIVE_MS: '9000',
      SLUICE_CLIENT_STALL_TIMEOUT_MS: '8000',
      SLUICE_KEEP_RESPONSES_MS: '0',
      SLUICE_IDEMPOTENCY: 'on',
      SLUICE_UPSTREAM_WHOLE_ANSWER_TIMEOUT_MS: '4',
      SLUICE_UPSTREAM_IDLE_TIMEOUT_MS: '3',
      SLUICE_UPSTREAM_FAIL_OVER_DEADLINE_MS: '7',
      SLUICE_UPSTREAM_HEALTH: 'off',
      SLUICE_DRAIN_TIMEOUT_MS: '0',
      SLUICE_DRAIN_NOTICE_MS: '7000',
      SLUICE_METRICS_ADDRESS: '[::1]:9000',
      SLUICE_METRICS_TOKEN: 'm'.repeat(16),
      SLUICE_TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::1',
      SLUICE_PUBLIC_URL: 'https://ai.example.com/',
      SLUICE_SPOOL_MAX_BYTES: '2097152',
      SLUICE_LEGAL_DIR: '/srv/legal',
      SLUICE_DEV: 'on',
    });
    expect(mistakes).toEqual([]);
    expect(environment).toEqual({
      host: '0.0.0.0',
      port: 0,
      dataDir: resolve('here/data'),
      databaseUrl: 'postgres://sluice:pass@db.internal:5432/sluice',
      redisUrl: 'redis://cache:6379',
      secret: 'x'.repeat(32),
      role: 'jobs',
      spoolMaxBytes: 2_097_152,
      isSpoolSynced: true,
      configFile: resolve('sluice.yaml'),
      modelsShape: 'openai',
      tokenPrefix: 'acme_live_',
      logLevel: 'warn',
      maxBodyBytes: 1_048_576,
      bodyBudgetBytes: 2_097_152,
      keepAliveMs: 9000,
      clientStallMs: 8000,
      keepResponsesMs: 0,
      isIdempotencyOn: true,
      upstreamTimeouts: { connectMs: 1, firstByteMs: 2, failOverMs: 5, wholeAnswerMs: 4, idleMs: 3 },
      failOverDeadlineMs: 7,
      upstreamHealth: 'off',
      drainTimeoutMs: 0,
      drainNoticeMs: 7000,
      metricsAddress: { host: '::1', port: 9000 },
      metricsToken: 'm'.repeat(16),
      usagePartitions: { span: 'day', retentionDays: 400 },
      tokenLogDays: 7,
      unverifiedRetentionDays: 0,
      smtpUrl: 'smtps://mail.example.com',
      smtpConnections: 20,
      mailFrom: { name: 'Acme AI', address: 'ai@example.com' },
      lowBalance: { lowNanoUsd: 25_000_000_000n, veryLowNanoUsd: 2_500_000_000n },
      areUpstreamsPrivate: true,
      proxies: { http: false, https: true, except: 'internal.test' },
      isTrustWaived: true,
      upstreamClient: 'fetch',
      areWebhooksPrivate: true,
      trustedProxies: ['10.0.0.0/8', '2001:db8::1'],
      publicUrl: 'https://ai.example.com',
      legalDir: '/srv/legal',
      isDevelopment: true,
    });
  });

  test('takes an empty value for an unset one', () => {
    expect(linesOf({ PORT: '', SLUICE_CONFIG: '', SLUICE_SECRET: '' })).toEqual([]);
    expect(readEnvironment({ PORT: '', SLUICE_CONFIG: '' }).environment.configFile).toBeNull();
  });

  test.each([
    [
      { SLUICE_BODY_BUDGET_BYTES: '1000000' },
      'SLUICE_BODY_BUDGET_BYTES: must be at least a third more than SLUICE_MAX_BODY_BYTES',
    ],
    [
      { SLUICE_SMTP_URL: 'smtp://u:hush@mail?pool=true', SLUICE_MAIL_FROM: 'a@b.test' },
      'SLUICE_SMTP_URL: the value will not do, expected an address such as smtp://',
    ],
    [
      { SLUICE_SMTP_URL: 'smtp://u:100%@mail', SLUICE_MAIL_FROM: 'a@b.test' },
      'SLUICE_SMTP_URL: the value will not do, expected an address such as smtp://',
    ],
    [
      { SLUICE_SMTP_URL: 'foo', SLUICE_MAIL_FROM: 'a@b.test' },
      'SLUICE_SMTP_URL: the value will not do, expected an address such as smtp://',
    ],
    [{ SLUICE_SMTP_CONNECTIONS: '0' }, 'SLUICE_SMTP_CONNECTIONS: "0" will not do'],
    [{ SLUICE_SMTP_URL: 'smtp://mail:25' }, 'SLUICE_MAIL_FROM: is required with SLUICE_SMTP_URL'],
    [{ SLUICE_MAIL_FROM: 'Acme <a@b.test>, Bad <c@d.test>' }, 'SLUICE_MAIL_FROM: "Acme'],
    [{ SLUICE_ROLE: 'jobs' }, 'SLUICE_ROLE: needs DATABASE_URL'],
    [{ SLUICE_ROLE: 'worker' }, 'expected one of all, gateway, portal, jobs'],
    [{ PORT: '65536' }, 'PORT: "65536" will not do, expected a port'],
    [{ PORT: '80a' }, 'PORT: "80a" will not do'],
    [{ HOST: 'not a host' }, 'HOST: "not a host" will not do'],
    [{ SLUICE_METRICS_ADDRESS: '9464' }, 'expected an address and port to listen on'],
    [{ SLUICE_METRICS_ADDRESS: '127.0.0.1:70000' }, 'expected an address and port to listen on'],
    [{ SLUICE_METRICS_TOKEN: 'short' }, 'the value will not do, expected at least 16 characters'],
    [{ SLUICE_LOG_LEVEL: 'loud' }, 'expected one of debug, info, warn, error, silent'],
    [{ SLUICE_MODELS_SHAPE: 'list' }, 'expected one of auto, array, openai'],
    [{ SLUICE_MAX_BODY_BYTES: '12' }, 'from 1024 to 1073741824'],
    [{ SLUICE_UPSTREAM_IDLE_TIMEOUT_MS: '0' }, 'a whole number of milliseconds from 1 to 86400000'],
    [{ SLUICE_TOKEN_PREFIX: 'Sluice' }, 'an underscore last'],
    [{ SLUICE_TRUSTED_PROXIES: 'nginx' }, 'expected addresses and networks'],
    [{ SLUICE_PUBLIC_URL: 'ai.example.com' }, 'expected an http or https address'],
    [{ SLUICE_PUBLIC_URL: 'https://user:pass@ai.example.com' }, 'without a user or a query'],
  ])('refuses %j', (variables: Variables, complaint) => {
    const lines = linesOf(variables);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(complaint);
  });

  test('reports all mistakes together, a line each', () => {
    expect(linesOf({ PORT: 'x', SLUICE_LOG_LEVEL: 'x', SLUICE_SECRTE: 'x' })).toHaveLength(3);
  });

  test('never shows the value of a secret', () => {
    const lines = linesOf({
      SLUICE_SECRET: 'too-short-secret',
      DATABASE_URL: 'mysql://sluice:hunter2@db/sluice',
      REDIS_URL: 'http://:hunter2@cache',
      SLUICE_PASSWORD: 'hunter2',
    });
    expect(lines).toHaveLength(4);
    expect(lines.join('\n')).not.toContain('hunter2');
    expect(lines.join('\n')).not.toContain('too-short-secret');
  });

  test('requires a secret with DATABASE_URL', () => {
    const [line, ...others] = linesOf({ DATABASE_URL: 'postgres://db/sluice' });
    expect(line).toStartWith('SLUICE_SECRET: is required with DATABASE_URL');
    expect(others).toEqual([]);
  });

  test('suggests the name that was probably meant, and only then', () => {
    expect(linesOf({ SLUICE_LOGLEVEL: 'warn' })).toEqual([
      'SLUICE_LOGLEVEL: is not a setting (did you mean "SLUICE_LOG_LEVEL"?)',
    ]);
    expect(linesOf({ SLUICE_PORT: '1' })).toEqual(['SLUICE_PORT: is not a setting (did you mean "PORT"?)']);
    expect(linesOf({ SLUICE_DATABASE_ULR: 'x' })).toEqual([
      'SLUICE_DATABASE_ULR: is not a setting (did you mean "DATABASE_URL"?)',
    ]);
    expect(linesOf({ SLUICE_FLUX_CAPACITOR: '1' })).toEqual(['SLUICE_FLUX_CAPACITOR: is not a setting']);
  });

  test('lets the token of a client pass, and still hears a slip in a setting that begins the same', () => {
    expect(linesOf({ SLUICE_TOKEN: 'sluice_secret' })).toEqual([]);
    expect(linesOf({ SLUICE_TOKEN: 'sluice_secret', SLUICE_TOKEN_PREFX: 'a_' })).toEqual([
      'SLUICE_TOKEN_PREFX: is not a setting (did you mean "SLUICE_TOKEN_PREFIX"?)',
    ]);
  });

  test('leaves the variables of tests and measurements alone', () => {
    expect(linesOf({ SLUICE_TEST_POSTGRES_URL: 'x', SLUICE_BENCH_SECONDS: 'x' })).toEqual([]);
  });
});

describe('an embedded database that a command wants', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-environment-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const ask = (name: string) => () => {
    const { environment } = readEnvironment({ SLUICE_DATA_DIR: join(folder, name) });
    requireDatabase(environment);
  };

  test('is missed where no start has made one', () => {
    mkdirSync(join(folder, 'empty', 'database'), { recursive: true });
    for (const name of ['nowhere', '.', 'empty']) {
      expect(ask(name)).toThrow(`There is no database in the data folder ${join(folder, name)}.`);
    }
  });

  test('is opened where it is not whole, or cannot be looked at, so that this is told', () => {
    mkdirSync(join(folder, 'half', 'database', 'base'), { recursive: true });
    writeFileSync(join(folder, 'file'), '');
    for (const name of ['half', 'file']) expect(ask(name)).not.toThrow();
  });
});
