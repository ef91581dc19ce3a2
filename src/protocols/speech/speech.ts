/** Text to speech in a form between the protocols. */
import type { UpstreamComplaint } from '../translator.ts';

export const speechFormats = ['mp3', 'wav'] as const;
export type SpeechFormat = (typeof speechFormats)[number];

export interface SpeechRequest {
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
  readonly model: string;
  /** At most 4096 characters, counted as code points. */
  readonly input: string;
  /** Absent: the model's default. */
  readonly voice?: string | undefined;
  readonly format: SpeechFormat;
  /** From 0.25 to 4. */
  readonly speed: number;
  /** How to speak, where the upstream takes it. */
  readonly instructions?: string | undefined;
}

export interface SpeechCall {
  readonly body: string;
  /** Appended to the address as it is: path and query, where voice and format stand there; may be empty. */
  readonly path: string;
}

export interface SpeechUpstream {
  readonly name: string;
  /** What it can make. */
  readonly formats: readonly SpeechFormat[];
  /** @throws AppError invalid_parameter for what the upstream cannot do. */
  writeRequest(request: SpeechRequest, model: string): SpeechCall;
  readComplaint(body: string): UpstreamComplaint | null;
}
