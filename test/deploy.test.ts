/** The files in deploy/: what they set is what the program knows, and what one of them says the others say too. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { type Variables, writeMistake } from '../src/configuration/index.ts';
import { type Environment, readEnvironment } from '../src/main/environment.ts';

const read = (file: string): string => readFileSync(join(import.meta.dir, '../deploy', file), 'utf8');

const imageVariables = assignmentsIn(/^ENV (.*)$/m.exec(read('Containerfile'))?.[1] ?? '', / /);
const image = readEnvironment(imageVariables);

test('the image and the unit set what the program knows', () => {
  expect(image.mistakes).toEqual([]);
  const unit = assignmentsIn(/^Environment=(.*)$/m.exec(read('sluice.service'))?.[1] ?? '', / /);
  expect(Object.keys(unit)).toContain('SLUICE_DATA_DIR');
  const { environment, mistakes } = readEnvironment(unit);
  expect(mistakes).toEqual([]);
  const patience = Number(/^TimeoutStopSec=(\d+)$/m.exec(read('sluice.service'))?.[1]);
  expect(patience).toBeGreaterThanOrEqual(longestStopSeconds(environment));
});

describe('compose.yaml', () => {
  const text = read('compose.yaml');
  const service = z.object({
    image: z.string(),
    environment: z.record(z.string(), z.string()).optional(),
    networks: z.object({ default: z.object({ ipv4_address: z.string() }) }).optional(),
    stop_grace_period: z.string().optional(),
  });
  const { services } = z
    .object({ services: z.record(z.string(), service) })
    .parse(parse(text, { merge: true }));
  const ours = Object.entries(services).filter(([, { image: named }]) => named === 'sluice');
  const example = assignmentsIn(read('.env.example'), /\n/);
  const filled = { ...example, POSTGRES_PASSWORD: 'x', SLUICE_SECRET: 'x'.repeat(32) };

  /** What each process gets where `.env` says this. */
  const environmentsWith = (variables: Variables) =>
    ours.map(([, { environment = {} }]) => {
      const entries = Object.entries(environment).map(([name, value]) => [name, fill(value, variables)]);
      return readEnvironment({ ...imageVariables, ...Object.fromEntries(entries) });
    });

  test('starts every process with settings that there are', () => {
    expect(ours.length).toBeGreaterThan(3);
    for (const { mistakes } of environmentsWith(filled)) expect(mistakes.map(writeMistake)).toEqual([]);
  });

  test('hands on what .env.example names, and asks for nothing else', () => {
    const asked = [...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name ?? '');
    expect([...new Set(asked)].sort()).toEqual(Object.keys(example).sort());
  });

  test('hands on the server of mails and the sender', () => {
    const mail = { SLUICE_SMTP_URL: 'smtps://mail.test', SLUICE_MAIL_FROM: 'Acme <ai@example.test>' };
    for (const { environment, mistakes } of environmentsWith({ ...filled, ...mail })) {
      expect(mistakes.map(writeMistake)).toEqual([]);
      expect(environment.smtpUrl).toBe(mail.SLUICE_SMTP_URL);
      expect(environment.mailFrom.address).toBe('ai@example.test');
    }
  });

  test('believes nginx alone about the address of a client, as it is fixed there', () => {
    const address = services['nginx']?.networks?.default.ipv4_address ?? '';
    expect(address).not.toBe('');
    for (const { environment } of environmentsWith(filled)) {
      expect(environment.trustedProxies).toEqual([address]);
    }
  });

  test('waits for a process that it stops as long as that may take', () => {
    const patience = ours.map(([, { stop_grace_period: told = '' }]) => Number(/^(\d+)s$/.exec(told)?.[1]));
    for (const [at, { environment }] of environmentsWith(filled).entries()) {
      expect(patience[at]).toBeGreaterThanOrEqual(longestStopSeconds(environment));
    }
  });

  test('has the processes that nginx asks, at their port', () => {
    const asked = [...read('nginx.conf').matchAll(/^ +server (\S+):(\d+)/gm)].map(([, name, port]) => [
      name,
      port,
    ]);
    expect(asked.length).toBeGreaterThan(2);
    for (const [name, port] of asked) {
      expect(ours.map(([called]) => called)).toContain(name ?? '');
      expect(port).toBe(`${image.environment.port}`);
    }
  });
});

describe('kubernetes/sluice.yaml', () => {
  const documents = parseAllDocuments(read('kubernetes/sluice.yaml')).map((document): unknown => {
    expect(document.errors).toEqual([]);
    return document.toJS();
  });
  const podSpec = z.object({
    enableServiceLinks: z.boolean().optional(),
    terminationGracePeriodSeconds: z.number().optional(),
    containers: z.array(
      z.object({
        env: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
        args: z.array(z.string()).default([]),
        ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
      }),
    ),
  });
  const pods = documents.flatMap(objectsIn).flatMap((each) => {
    return Array.isArray(each['containers']) ? [podSpec.parse(each)] : [];
  });
  const ofKind = (kind: string) => documents.flatMap(objectsIn).filter((each) => each['kind'] === kind);
  const { data: shared } = z.object({ data: z.record(z.string(), z.string()) }).parse(ofKind('ConfigMap')[0]);
  const secret = {
    DATABASE_URL: 'postgres://db.test/sluice',
    REDIS_URL: 'redis://cache.test',
    SLUICE_SECRET: 'x'.repeat(32),
  };

  test('starts every container with settings that there are, on the ports that it names', () => {
    expect(pods.length).toBeGreaterThan(2);
    for (const { env, ports } of pods.flatMap(({ containers }) => containers)) {
      const own = Object.fromEntries(env.map(({ name, value }) => [name, value]));
      const { environment, mistakes } = readEnvironment({ ...imageVariables, ...shared, ...secret, ...own });
      expect(mistakes.map(writeMistake)).toEqual([]);
      expect(ports.map(({ name, containerPort }) => [name, containerPort])).toEqual([
        ['http', environment.port],
        ['metrics', environment.metricsAddress?.port ?? 0],
      ]);
    }
  });

  test('waits for a pod that it stops as long as that may take', () => {
    for (const { containers, terminationGracePeriodSeconds: patience = 30 } of pods) {
      for (const { args } of containers) {
        const role = args[args.indexOf('--role') + 1] ?? '';
        const { environment } = readEnvironment({
          ...imageVariables,
          ...shared,
          ...secret,
          SLUICE_ROLE: role,
        });
        expect(patience).toBeGreaterThanOrEqual(longestStopSeconds(environment));
      }
    }
  });

  test('has no pod told of Services by variables, which would be unknown settings', () => {
    expect(pods.map(({ enableServiceLinks }) => enableServiceLinks)).toEqual(pods.map(() => false));
  });

  test('serves the host of the public address, with a certificate', () => {
    const host = new URL(shared['SLUICE_PUBLIC_URL'] ?? '').host;
    const { spec } = z
      .object({
        spec: z.object({
          ingressClassName: z.string(),
          tls: z.array(z.object({ hosts: z.array(z.string()), secretName: z.string() })),
          rules: z.array(z.object({ host: z.string() })),
        }),
      })
      .parse(ofKind('Ingress')[0]);
    expect(spec.tls.flatMap(({ hosts }) => hosts)).toEqual([host]);
    expect(spec.rules.map((rule) => rule.host)).toEqual([host]);
  });
});

/** As docs/production.md says it: what does the jobs alone has no answers to wait for. */
function longestStopSeconds({ drainNoticeMs, drainTimeoutMs, role }: Environment): number {
  return (drainNoticeMs + (role === 'jobs' ? 0 : drainTimeoutMs)) / 1000 + 20;
}

function assignmentsIn(text: string, between: RegExp): Record<string, string> {
  const pairs = text.split(between).flatMap((each) => {
    const [, name, value] = /^(\w+)=(.*)$/.exec(each) ?? [];
    return name === undefined ? [] : [[name, value ?? '']];
  });
  return Object.fromEntries(pairs);
}

/** As Compose does: a default stands for what is empty, too. */
function fill(text: string, variables: Variables): string {
  return text.replace(/\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g, (_, name: string, fallback = '') => {
    return variables[name] || fallback;
  });
}

/** The value itself and all that is in it. */
function objectsIn(value: unknown): Record<string, unknown>[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  const object = z.record(z.string(), z.unknown()).safeParse(value);
  return object.success ? [object.data, ...Object.values(object.data).flatMap(objectsIn)] : [];
}
