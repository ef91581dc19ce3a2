/** Which variables hold the keys of which providers, by the names that are in common use. */
import { presets } from '../../providers/openai/openai.ts';

export interface EnvironmentPreset {
  readonly name: string;
  readonly kind: string;
  readonly keyVariable: string;
  /** Null where the kind itself knows its address. */
  readonly baseUrl: string | null;
  readonly baseUrlVariable?: string;
}

const named = (name: string, keyVariable: string, kind = name): EnvironmentPreset => ({
  name,
  kind,
  keyVariable,
  baseUrl: null,
});

/** In the order in which their models are shown. */
export const environmentPresets: readonly EnvironmentPreset[] = [
  {
    ...named('openai', 'OPENAI_API_KEY'),
    baseUrl: 'https://api.openai.com/v1',
    baseUrlVariable: 'OPENAI_BASE_URL',
  },
  { ...named('anthropic', 'ANTHROPIC_API_KEY'), baseUrl: 'https://api.anthropic.com/v1' },
  named('gemini', 'GEMINI_API_KEY', 'google'),
  ...presets.flatMap(({ kind, keyVariable, baseUrl }) =>
    keyVariable === null ? [] : [{ name: kind, kind, keyVariable, baseUrl }],
  ),
  named('cohere', 'COHERE_API_KEY'),
  named('voyage', 'VOYAGE_API_KEY'),
  named('jina', 'JINA_API_KEY'),
  named('deepgram', 'DEEPGRAM_API_KEY'),
  named('elevenlabs', 'ELEVENLABS_API_KEY'),
];
