/** What a configuration file may say, and where its mistakes are shown to be. */
import { describe, expect, test } from 'bun:test';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deriveStarterToken } from '../identity/index.ts';
import { type FileReading, readConfiguration, readConfigurationFile } from './file.ts';
import type { ProviderKind } from './kind-checks.ts';
import { writeMistake } from './mistake.ts';

const rules = {
  providerKinds: new Map<string, ProviderKind>([
    ['openai', { defaultBaseUrl: null, needsCredential: false, supports: () => ({ chat: [] }) }],
    [
      'vault',
      {
        defaultBaseUrl: 'https://vault.test',
        needsCredential: true,
        checkSettings: ({ door, ...others }) => {
          if (Object.keys(others).length > 0) throw new Error('has one setting, door');
          if (door !== undefined && door !== 'open') throw new Error('door: expected open');
        },
        checkPlace: ({ region }) => {
          if (region === 'sea') throw new Error('region: expected one on land');
        },
        checkCredential: (secret) => {
          if (secret.startsWith('dull')) throw new Error('expected a sharp key');
        },
        supports: ({ door }) => (door === 'open' ? { chat: [] } : { chat: [], speech: [] }),
      },
    ],
  ]),
  tokenPrefix: 'sluice_',
};
const token = deriveStarterToken('a secret that is only for these tests', 'sluice_');

const good = `users:
  - { email: a@example.test, password: "four plain words", role: platform_owner, wallet_usd: 25 }
providers:
  - name: main
    kind: openai
    base_url: http://127.0.0.1:9001/v1
    region: eu
    credentials: [{ name: k1, api_key: "\${UPSTREAM_KEY}" }]
    timeouts_ms: { first_byte: 1500 }
models:
  - id: gpt-4o-mini
    type: chat
    owned_by: openai
    aliases: [mini]
    context_window: 128000
    max_output_tokens: 16384
    capabilities: [tools, vision]
    prices: { input: 0.15, cached_input: 0.075, output: "0.60" }
    providers: [{ provider: main, upstream_id: gpt-4o-mini-2024-07-18 }]
keys:
  - { name: ci, owner: a@example.test, token: ${token}, requests_per_minute: 60, expires_at: 2030-01-31 }
`;

function read(
  text: string,
  variables: Record<string, string> = { UPSTREAM_KEY: 'sk-upstream' },
): FileReading {
  return readConfiguration(text, { path: '/etc/sluice.yaml', variables, ...rules });
}

/** The mistakes of the good file with one thing in it replaced; replacing nothing is a slip of the test. */
function mistakesWith(from: string | RegExp, to: string): string[] {
  const text = good.replace(from, to);
  expect(text).not.toBe(good);
  const { file, mistakes } = read(text);
  expect(file).toBeNull();
  return mistakes.map(writeMistake);
}

describe('a good file', () => {
  test('is read with exact prices, exact money and its variables put in', () => {
    const { file, mistakes, warnings } = read(good);
    expect([...mistakes, ...warnings]).toEqual([]);
    expect(file?.content.users[0]?.wallet_usd).toBe(25_000_000_000n);
    expect(file?.content.providers[0]?.credentials).toEqual([{ name: 'k1', api_key: 'sk-upstream' }]);
    expect(file?.content.models[0]?.prices).toEqual({
      input: 150_000_000n,
      cached_input: 75_000_000n,
      output: 600_000_000n,
    });
    expect(file?.content.keys[0]).toMatchObject({
      requests_per_minute: 60,
      tokens_per_minute: null,
      allowed_models: null,
      expires_at: new Date('2030-01-31T00:00:00Z'),
      scopes: ['inference', 'read'],
    });
  });

  test('may declare nothing, but only in so many words', () => {
    expect(read('{}').file?.content).toEqual({
      users: [],
      providers: [],
      models: [],
      keys: [],
      budgets: [],
      budget_defaults: [],
      organisations: [],
      identity_providers: [],
      portals: [],
    });
    expect(read('# only a comment\n').mistakes.map(writeMistake)).toEqual([
      'sluice.yaml:1:1: the file is empty: write {} to declare nothing',
    ]);
  });
});

test('the settings of a provider are kept as they are written, with their variables', () => {
  const text = good.replace('kind: openai', `kind: vault\n    settings: { door: "\${DOOR}" }`);
  const { file, mistakes } = read(text, { UPSTREAM_KEY: 'sk', DOOR: 'open' });
  expect(mistakes).toEqual([]);
  expect(file?.providers[0]?.settings).toEqual({ door: 'open' });
});

describe('a mistake', () => {
  test('names the file, line, column and path', () => {
    expect(mistakesWith('role: platform_owner', 'role: boss')).toEqual([
      'sluice.yaml:2:60: users[0].role: expected one of platform_owner, platform_admin, org_owner, org_admin, department_admin, member',
    ]);
  });

  test.each([
    [
      'an unknown key',
      'owned_by: openai',
      'owned_by: openai\n    ownd: x',
      '14:5: models[0].ownd: is not a known key',
    ],
    ['a misspelt key', 'base_url:', 'base_ulr:', 'base_ulr: is not a known key (did you mean "base_url"?)'],
    ['a missing key', '    owned_by: openai\n', '', '11:5: models[0].owned_by: is missing'],
    [
      'a wrong type',
      'requests_per_minute: 60',
      'requests_per_minute: often',
      'keys[0].requests_per_minute: expected a number',
    ],
    [
      'a price that is no number',
      'input: 0.15',
      'input: cheap',
      '18:15: models[0].prices.input: "cheap" is not an amount of USD',
    ],
    ['a negative price', 'input: 0.15', 'input: -1', 'a price is zero or more'],
    [
      'a meter that does not exist',
      'input: 0.15',
      'inputs: 0.15',
      'models[0].prices.inputs: is not a known key (did you mean "input"?)',
    ],
    [
      'half a price',
      ', output: "0.60"',
      '',
      'models[0].prices: a chat model with prices needs one for output',
    ],
    [
      'a negative opening credit',
      'wallet_usd: 25',
      'wallet_usd: -25',
      'users[0].wallet_usd: -25 USD is not a sum for a wallet',
    ],
    [
      'a common password',
      'four plain words',
      'password',
      '2:30: users[0].password: is one of those that are guessed first',
    ],
    [
      'an address that is none',
      'email: a@example.test',
      'email: a.example.test',
      'users[0].email: expected an e-mail address',
    ],
    [
      'a kind that does not exist',
      'kind: openai',
      'kind: opanai',
      '5:5: providers[0].kind: expected one of openai, vault (did you mean "openai"?)',
    ],
    [
      'a kind whose host is no more',
      'kind: openai',
      'kind: github',
      '5:5: providers[0].kind: GitHub retired GitHub Models on 2026-07-30, so that this kind is gone. Take the provider out',
    ],
    [
      'a kind that lacks its base URL',
      '    base_url: http://127.0.0.1:9001/v1\n',
      '',
      'providers[0].base_url: is missing: kind openai needs one',
    ],
    [
      'a base URL that is none',
      'http://127.0.0.1:9001/v1',
      'ftp://127.0.0.1/v1',
      'providers[0].base_url: expected an http or https URL',
    ],
    [
      'a base URL that is the path of an endpoint',
      'http://127.0.0.1:9001/v1',
      'http://127.0.0.1:9001/v1/chat/completions/',
      'providers[0].base_url: ends in the path of one endpoint: leave out /chat/completions/,',
    ],
    [
      'a setting of a kind that has none',
      '    region: eu\n',
      '    region: eu\n    settings: { door: open }\n',
      '8:5: providers[0].settings: this kind has no settings',
    ],
    [
      'a setting with a value that its kind does not take',
      'kind: openai',
      'kind: vault\n    settings: { door: ajar }',
      '6:17: providers[0].settings.door: expected open',
    ],
    [
      'a setting that its kind does not know',
      'kind: openai',
      'kind: vault\n    settings: { window: open }',
      '6:5: providers[0].settings: has one setting, door',
    ],
    [
      'a place that its kind does not take',
      /kind: openai\n(.*)\n {4}region: eu/,
      'kind: vault\n$1\n    region: sea',
      '7:5: providers[0].region: expected one on land',
    ],
    [
      'a model that no request could reach',
      'type: chat',
      'type: speech',
      '12:5: models[0].type: a speech model cannot be served by a provider of the kind openai',
    ],
    [
      'a model with the name that leaves the choice open',
      'id: gpt-4o-mini',
      'id: auto',
      '11:5: models[0].id: "auto" is reserved',
    ],
    [
      'an alias with the name that leaves the choice open',
      'aliases: [mini]',
      'aliases: [auto]',
      '14:15: models[0].aliases[0]: "auto" is reserved',
    ],
    [
      'an API key with a space',
      /"\$\{UPSTREAM_KEY\}"/,
      '"sk one two"',
      'credentials[0].api_key: expected printable characters without spaces',
    ],
    [
      'a provider that is not declared',
      'provider: main',
      'provider: mian',
      '19:19: models[0].providers[0].provider: this file declares no provider "mian" (did you mean "main"?)',
    ],
    [
      'a model that nobody serves',
      /providers: \[\{ provider.*/,
      'providers: []',
      'models[0].providers: expected at least 1 entry',
    ],
    [
      'an alias that is the id',
      'aliases: [mini]',
      'aliases: [gpt-4o-mini]',
      'models[0].aliases[0]: "gpt-4o-mini" is the id of a model',
    ],
    [
      'an alias that stands twice',
      'aliases: [mini]',
      'aliases: [mini, mini]',
      'models[0].aliases[1]: alias "mini" is twice',
    ],
    [
      'a token with a slip',
      token,
      `${token.slice(0, -1)}!`,
      'keys[0].token: expected a token that this service minted',
    ],
    ['a date that is none', '2030-01-31', 'soon', 'keys[0].expires_at: expected a date such as 2027-01-31'],
    [
      'a scope that does not exist',
      'requests_per_minute: 60',
      'scopes: [everything]',
      'keys[0].scopes[0]: expected one of inference, webchat, read, account',
    ],
  ])('is %s', (_what, from, to, complaint) => {
    const lines = mistakesWith(from, to);
    expect(lines.join('\n')).toContain(complaint);
    expect(lines).toHaveLength(1);
  });

  test('is a credential of no form that its kind takes, which is not shown', () => {
    const text = good.replace('kind: openai', 'kind: vault');
    expect(read(text, { UPSTREAM_KEY: 'dull-key' }).mistakes.map(writeMistake)).toEqual([
      'sluice.yaml:8:31: providers[0].credentials[0].api_key: expected a sharp key',
    ]);
  });

  test('is told of a row, and not of its models too', () => {
    const text = good.replace('kind: openai', 'kind: opanai').replace('type: chat', 'type: speech');
    expect(read(text).mistakes.map(writeMistake)).toEqual([
      expect.stringContaining('providers[0].kind: expected one of'),
    ]);
  });

  test.each([
    [
      'user',
      '\nproviders:',
      '\n  - { email: A@EXAMPLE.test, password: "other plain words", role: member }\nproviders:',
      'users[1].email: another user',
    ],
    [
      'provider',
      '\nmodels:',
      '\n  - { name: main, kind: openai, base_url: "http://127.0.0.1:1" }\nmodels:',
      'providers[1].name: provider "main" is twice',
    ],
    [
      'key',
      /$/,
      `  - { name: again, owner: a@example.test, token: ${token} }\n`,
      'keys[1].token: another key',
    ],
  ])('is a %s that stands twice', (_what, from, to, complaint) => {
    expect(mistakesWith(from, to).join('\n')).toContain(complaint);
  });

  test('comes with all the others', () => {
    const text = good.replace('role: platform_owner', 'role: boss').replace('kind: openai', 'kin: openai');
    expect(read(text).mistakes).toHaveLength(3);
  });

  test.each([
    ['an unknown key', 'owned_by: openai', 'owned_by: openai\n    ownd: x', 'models[0].ownd'],
    ['a missing member', '    owned_by: openai\n', '', 'models[0].owned_by'],
    ['a missing address', 'email: a@example.test, ', '', 'users[0].email'],
    ['a list that is none', 'aliases: [mini]', 'aliases: mini', 'models[0].aliases'],
    ['an entry that is none', '\nmodels:', '\n  - backup\nmodels:', 'providers[1]'],
    [
      'a wrong entry of a list',
      'capabilities: [tools, vision]',
      'capabilities: [tool, vision]',
      'models[0].capabilities[0]',
    ],
    ['a price that is none', 'input: 0.15', 'input: cheap', 'models[0].prices.input'],
  ])('of form, such as %s, hides none that lies deeper, and makes none up', (_what, from, to, where) => {
    const text = good
      .replace(from, to)
      .replace('kind: openai', 'kind: opanai')
      .replace('upstream_id: gpt-4o-mini-2024-07-18', 'upstream_id: x }, { provider: mian, upstream_id: x')
      .replace(token, 'none');
    const expected = [where, 'providers[0].kind', 'models[0].providers[1].provider', 'keys[0].token'];
    expect(
      read(text)
        .mistakes.map((mistake) => mistake.where)
        .toSorted(),
    ).toEqual(expected.toSorted());
  });

  test('is counted and not told where a file has hundreds of them', () => {
    const users = Array.from({ length: 500 }, () => '  - 1\n').join('');
    const { file, mistakes } = read(`users:\n${users}`);
    expect(file).toBeNull();
    expect(mistakes).toHaveLength(101);
    expect(mistakes.slice(0, 2).map(writeMistake)).toEqual([
      'sluice.yaml:1:1: there are 500 mistakes, of which these are the first 100',
      'sluice.yaml:2:5: users[0]: expected a map of names to values',
    ]);
  });

  test('comes in the order of the file, whatever found it', () => {
    const text = good
      .replace('a@example.test, password', `a@example.test, name: "\${UNSET}", password`)
      .replace('name: main', 'name: "no name"')
      .replace('kind: openai', 'kind: opanai')
      .replace('id: gpt-4o-mini', 'id: auto')
      .replace(token, 'none');
    expect(read(text).mistakes.map(({ where }) => where)).toEqual([
      'users[0].name',
      'providers[0].name',
      'providers[0].kind',
      'models[0].id',
      'models[0].providers[0].provider',
      'keys[0].token',
    ]);
  });

  test('never shows a secret', () => {
    const lines = [
      ...mistakesWith('four plain words', 'hunter2'),
      ...mistakesWith(token, `${token}x`),
      ...mistakesWith(/"\$\{UPSTREAM_KEY\}"/, '"sk hunter2"'),
    ];
    expect(lines).toHaveLength(3);
    expect(lines.join('\n')).not.toContain('hunter2');
    expect(lines.join('\n')).not.toContain(token);
  });

  test.each([
    ['unclosed brackets', 'users: [1, 2'],
    ['a key given twice', 'users: []\nusers: []'],
    ['an alias to nothing', 'users: *nobody'],
    [
      'an alias that unfolds without end',
      'a: &a [x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\nc: [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b, *b]',
    ],
  ])('in the YAML itself is %s', (_what, text) => {
    const { file, mistakes } = read(text);
    expect(file).toBeNull();
    expect(mistakes.map(writeMistake).join('\n')).toMatch(/^sluice\.yaml:\d+:\d+: not valid YAML: /);
  });

  test('is a file that is not there', async () => {
    const { mistakes } = await readConfigurationFile('/nowhere/sluice.yaml', {}, rules);
    expect(mistakes.map(writeMistake)).toEqual(['SLUICE_CONFIG: cannot read /nowhere/sluice.yaml (ENOENT)']);
  });
});

describe('variables', () => {
  const apiKeyOf = (written: string, variables: Record<string, string>) => {
    const reading = read(
      good.replace(/"\$\{UPSTREAM_KEY\}"/, () => JSON.stringify(written)),
      variables,
    );
    return reading.file?.content.providers[0]?.credentials[0]?.api_key ?? reading.mistakes.map(writeMistake);
  };

  test('are put in wherever they stand in a text', () => {
    expect(apiKeyOf(`a-\${ONE}-\${TWO_2}`, { ONE: '1', TWO_2: '2' })).toBe('a-1-2');
  });

  test('are not looked for in what another one held', () => {
    expect(apiKeyOf(`\${ONE}`, { ONE: `\${TWO}`, TWO: '2' })).toBe(`\${TWO}`);
  });

  test('are left alone after a doubled dollar', () => {
    expect(apiKeyOf(`$\${ONE}`, { ONE: '1' })).toBe(`\${ONE}`);
  });

  test.each([
    ['a whole value', '$UNSET', 'credentials[0].api_key: $UNSET stands for no variable without braces'],
    ['a part, of one that is set', 'a-$ONE', `$ONE stands for no variable without braces: write \${ONE}`],
  ])('without braces are a mistake as %s', (_what, written, complaint) => {
    expect(apiKeyOf(written, { ONE: '1' })).toEqual([expect.stringContaining(complaint)]);
  });

  test('without braces may be dollars after all', () => {
    expect(apiKeyOf('sk-$no-name$5', { ONE: '1' })).toBe('sk-$no-name$5');
    expect(
      read(good.replace('four plain words', 'pays $ONE a day'), { UPSTREAM_KEY: 'sk', ONE: '1' }).mistakes,
    ).toEqual([]);
  });

  test('that are not set are a mistake of the path, and the only one there', () => {
    expect(apiKeyOf(`\${UNSET}`, {})).toEqual([
      'sluice.yaml:8:31: providers[0].credentials[0].api_key: the environment variable UNSET is not set',
    ]);
    expect(mistakesWith(token, `"\${UNSET_TOKEN}"`)).toEqual([
      'sluice.yaml:21:40: keys[0].token: the environment variable UNSET_TOKEN is not set',
    ]);
  });

  test('need a name', () => {
    expect(apiKeyOf(`\${not a name}`, {})).toEqual([
      expect.stringContaining('expected the name of a variable'),
    ]);
    expect(apiKeyOf(`\${UNCLOSED`, { UNCLOSED: '1' })).toEqual([
      expect.stringContaining('expected the name'),
    ]);
  });
});

test('a model without prices is a warning: it serves only keys that do not pay', () => {
  const { file, warnings } = read(good.replace(/ {4}prices: .*\n/, ''));
  expect(file).not.toBeNull();
  expect(warnings.map(writeMistake)).toEqual([
    expect.stringContaining('sluice.yaml:11:5: models[0].prices: gpt-4o-mini has none, so prepaid keys'),
  ]);
});

test('an owner who is not declared is a warning: the account may exist already', () => {
  const { file, mistakes, warnings } = read(good.replace('owner: a@example.test', 'owner: b@example.test'));
  expect(mistakes).toEqual([]);
  expect(file).not.toBeNull();
  expect(warnings.map(writeMistake)).toEqual([
    expect.stringContaining('keys[0].owner: "b@example.test" is not declared'),
  ]);
});

test.skipIf(process.platform === 'win32')(
  'a file that everybody can read and that holds secrets is a warning, which does not show them',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'file-'));
    try {
      const path = join(folder, 'mine.yaml');
      const warningsOf = async (text: string, mode: number) => {
        await Bun.write(path, text);
        await chmod(path, mode);
        const { warnings } = await readConfigurationFile(
          path,
          { UPSTREAM_KEY: 'sk', P: 'more plain words', T: token },
          rules,
        );
        return warnings.map(writeMistake);
      };
      expect(await warningsOf(good, 0o644)).toEqual([
        `SLUICE_CONFIG: everybody on this machine can read ${path}, which holds secrets (users[0].password and 1 more): run chmod 600 on it, or write \${NAME} in their place and set the variables`,
      ]);
      expect(await warningsOf(good, 0o640)).toEqual([]);
      const withVariables = good.replace('four plain words', `\${P}`).replace(token, `"\${T}"`);
      expect(await warningsOf(withVariables, 0o644)).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);

test('reads a file from disk', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'file-'));
  try {
    await Bun.write(join(folder, 'mine.yaml'), good);
    const { file } = await readConfigurationFile(join(folder, 'mine.yaml'), { UPSTREAM_KEY: 'sk' }, rules);
    expect(file?.mistakeAt(['models', 0, 'id'], 'no').position).toEqual({
      file: 'mine.yaml',
      line: 11,
      column: 5,
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});

describe('budgets', () => {
  const withBudgets = (...rows: readonly string[]) =>
    read(`${good}budgets:\n${rows.map((row) => `  - ${row}\n`).join('')}`);

  test('are of a user, a key of the file, an organisation, or a part of one', () => {
    const { file, mistakes } = withBudgets(
      '{ user: a@example.test, period: monthly, usd: 50 }',
      '{ key: ci, period: daily, usd: "0.5" }',
      '{ organisation: acme, period: total, usd: 0 }',
      '{ organisation: acme, department: Research, period: weekly, usd: 12.5 }',
      '{ organisation: acme, project: Boats, period: weekly, usd: 12.5 }',
    );
    expect(mistakes).toEqual([]);
    expect(file?.content.budgets.map(({ usd }) => usd)).toEqual([
      50_000_000_000n,
      500_000_000n,
      0n,
      12_500_000_000n,
      12_500_000_000n,
    ]);
  });

  test.each([
    ['{ period: daily, usd: 1 }', 'budgets[0]: expected one of user, key and organisation'],
    [
      '{ user: a@example.test, key: ci, period: daily, usd: 1 }',
      'expected one of user, key and organisation',
    ],
    [
      '{ department: Research, period: daily, usd: 1 }',
      'a department or a project stands beside its organisation',
    ],
    [
      '{ key: cy, period: daily, usd: 1 }',
      'budgets[0].key: this file declares no key "cy" (did you mean "ci"?)',
    ],
    [
      '{ key: ci, period: hourly, usd: 1 }',
      'budgets[0].period: expected one of daily, weekly, monthly, total',
    ],
    ['{ key: ci, period: daily, usd: -1 }', 'budgets[0].usd: -1 USD is not a budget: from 0 to 1000000000'],
    ['{ key: ci, period: daily }', 'budgets[0].usd: expected an amount'],
    ['{ key: ci, period: daily, usd: 1, limit: 2 }', 'budgets[0].limit: is not a known key'],
  ])('%s is a mistake', (row, complaint) => {
    const told = withBudgets(row).mistakes.map(writeMistake);
    expect(told).toHaveLength(1);
    expect(told[0]).toContain(complaint);
  });

  test('of one subject and period are declared once, however the address is written', () => {
    const told = withBudgets(
      '{ user: a@example.test, period: daily, usd: 1 }',
      '{ user: A@example.test, period: daily, usd: 2 }',
    ).mistakes.map(writeMistake);
    expect(told).toHaveLength(1);
    expect(told[0]).toContain(
      'budgets[1].period: another budget of this file is of the same subject and period',
    );
  });
});
