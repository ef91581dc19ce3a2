/** OpenAI and every host that is asked in its manner. */
import { compatibleDialect, openaiDialect } from '../../protocols/chat-completions/dialect.ts';
import { openaiEmbeddings } from '../../protocols/embeddings/openai.ts';
import { openaiSpeech } from '../../protocols/speech/openai.ts';
import { openaiTranscription } from '../../protocols/transcription/openai.ts';
import { type ProviderAdapter, pathOfUrl } from '../provider.ts';
import { compatibleAdapter, type PathsOfHosts, type Preset } from './compatible-adapter.ts';
import { hosts } from './hosts.ts';
import { makers } from './makers.ts';
import { servers } from './servers.ts';

export const presets: readonly Preset[] = [...makers, ...hosts, ...servers];

const pathsOfHosts: PathsOfHosts = new Map(
  presets.flatMap(({ baseUrl }): [string, string][] =>
    baseUrl === null ? [] : [[new URL(baseUrl).host, pathOfUrl(baseUrl)]],
  ),
);

const openaiPreset: Preset = {
  kind: 'openai',
  source: 'https://platform.openai.com/docs/api-reference',
  asOf: '2026-11',
  baseUrl: 'https://api.openai.com/v1',
  keyVariable: 'OPENAI_API_KEY',
  dialect: openaiDialect,
  elsewhere: compatibleDialect,
  // It speaks both, and in responses its models take tools and an effort at once and get their thinking back.
  responses: 'preferred',
  responsesElsewhere: 'on demand',
  embeddings: openaiEmbeddings(),
  transcription: openaiTranscription(),
  translates: true,
  speech: openaiSpeech(),
};

/** A key is not demanded: many a compatible host of one's own has none. */
export const openai: ProviderAdapter = {
  ...compatibleAdapter(openaiPreset, pathsOfHosts),
  needsCredential: false,
};

export const presetAdapters: readonly ProviderAdapter[] = presets.map((preset) =>
  compatibleAdapter(preset, pathsOfHosts),
);
