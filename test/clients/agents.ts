/** The agents: what each is called, set up and started with, as docs/agents.md says it. */
import { join } from 'node:path';

export interface Agent {
  readonly name: string;
  /** The program that it is started by, and the package that it comes in. */
  readonly program: string;
  readonly package: string;
  /** Where its requests are recorded. */
  readonly endpoint: string;
  /** Files under its home or its project, by path. */
  files(setting: AgentSetting): Readonly<Record<string, string>>;
  variables(setting: AgentSetting): Readonly<Record<string, string>>;
  arguments(setting: AgentSetting): readonly string[];
}

export interface AgentSetting {
  readonly url: string;
  readonly token: string;
  readonly model: string;
  readonly prompt: string;
  readonly home: string;
  readonly project: string;
}

export const agents: readonly Agent[] = [
  {
    name: 'Claude Code',
    program: 'claude',
    package: '@anthropic-ai/claude-code',
    endpoint: '/v1/messages',
    files: () => ({}),
    variables: ({ url, token, model }) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: token,
      ANTHROPIC_MODEL: model,
      ANTHROPIC_SMALL_FAST_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
    arguments: ({ prompt }) => ['-p', prompt, '--allowedTools', 'Bash'],
  },
  {
    name: 'Codex',
    program: 'codex',
    package: '@openai/codex',
    endpoint: '/v1/responses',
    files: ({ url, home, model }) => ({
      [join(home, '.codex/config.toml')]: [
        `model = "${model}"`,
        'model_provider = "sluice"',
        '[model_providers.sluice]',
        'name = "Sluice"',
        `base_url = "${url}/v1"`,
        'env_key = "SLUICE_TOKEN"',
        'wire_api = "responses"',
        '',
      ].join('\n'),
    }),
    variables: ({ token }) => ({ SLUICE_TOKEN: token }),
    arguments: ({ prompt }) => [
      'exec',
      '--skip-git-repo-check',
      '--dangerously-bypass-approvals-and-sandbox',
      prompt,
    ],
  },
  {
    name: 'opencode',
    program: 'opencode',
    package: 'opencode-ai',
    endpoint: '/v1/chat/completions',
    files: ({ url, project, model }) => ({
      [join(project, 'opencode.json')]: JSON.stringify({
        $schema: 'https://opencode.ai/config.json',
        permission: { bash: 'allow' },
        autoupdate: false,
        small_model: `sluice/${model}`,
        provider: {
          sluice: {
            npm: '@ai-sdk/openai-compatible',
            name: 'Sluice',
            options: { baseURL: `${url}/v1`, apiKey: '{env:SLUICE_TOKEN}' },
            models: { [model]: { name: model } },
          },
        },
      }),
    }),
    variables: ({ token }) => ({ SLUICE_TOKEN: token }),
    arguments: ({ prompt, model }) => ['run', '-m', `sluice/${model}`, prompt],
  },
  {
    name: 'Qwen Code',
    program: 'qwen',
    package: '@qwen-code/qwen-code',
    endpoint: '/v1/chat/completions',
    files: () => ({}),
    variables: ({ url, token, model }) => ({
      OPENAI_API_KEY: token,
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_MODEL: model,
    }),
    arguments: ({ prompt }) => ['--auth-type', 'openai', '--yolo', '-p', prompt],
  },
  {
    name: 'Gemini CLI',
    program: 'gemini',
    package: '@google/gemini-cli',
    endpoint: '/v1beta/models/{model}:generateContent',
    files: ({ home }) => ({
      [join(home, '.gemini/settings.json')]: '{"security":{"auth":{"selectedType":"gemini-api-key"}}}',
    }),
    variables: ({ url, token }) => ({ GEMINI_API_KEY: token, GOOGLE_GEMINI_BASE_URL: url }),
    arguments: ({ prompt, model }) => ['-m', model, '--skip-trust', '--yolo', '-p', prompt],
  },
];
