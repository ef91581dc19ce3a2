/** Usage without sounds, characters or searches, for tests that are about tokens. */
import type { UnitUsage } from '../../base/token-usage.ts';

export const noUnits: UnitUsage = { audioMs: 0, characters: 0, rerankUnits: 0 };
