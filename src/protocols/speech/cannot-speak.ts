/** What an upstream cannot do of a speech request. */
import { refuse } from '../turn/refuse.ts';
import type { SpeechFormat, SpeechRequest } from './speech.ts';

/** @throws AppError invalid_parameter when the format is not among those that the upstream makes. */
export function requireFormat({ format }: SpeechRequest, formats: readonly SpeechFormat[]): void {
  if (!formats.includes(format)) throw refuse(`${format} as response_format`, 'response_format');
}

export interface SpeedRange {
  readonly least: number;
  readonly most: number;
}

/** @throws AppError invalid_parameter when the speed is outside. */
export function requireSpeed({ speed }: SpeechRequest, { least, most }: SpeedRange): void {
  if (speed >= least && speed <= most) return;
  const taken = least === most ? `only ${least}` : `${least} to ${most}`;
  throw refuse(`a speed of ${speed} (it takes ${taken})`, 'speed');
}
