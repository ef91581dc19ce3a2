/** The hosts that are asked in OpenAI's manner, each a kind of provider of its own. */
import type { ProviderAdapter } from '../provider.ts';
import { compatibleAdapter } from './compatible-adapter.ts';
import { hosts } from './hosts.ts';
import { makers } from './makers.ts';
import type { Preset } from './preset.ts';
import { servers } from './servers.ts';

export const presets: readonly Preset[] = [...makers, ...hosts, ...servers];

export const presetAdapters: readonly ProviderAdapter[] = presets.map(compatibleAdapter);
