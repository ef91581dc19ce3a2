/** Which chat protocols a row of a provider is asked in: `settings.protocols`, in order of preference. */
import { z } from 'zod';

const chatProtocols = ['chat-completions', 'responses'] as const;
type ChatProtocolName = (typeof chatProtocols)[number];

const listed = z.array(z.enum(chatProtocols)).min(1).max(chatProtocols.length);

export interface ProtocolOffer {
  readonly kind: string;
  /** `on demand`: has `/responses`, for rows that ask for it; `offered`: to every row; `preferred`: asked first; `alone`. */
  readonly responses: 'none' | 'on demand' | 'offered' | 'preferred' | 'alone';
  /** The same of hosts that a row names by an address of their own, where it differs there. */
  readonly responsesElsewhere?: ProtocolOffer['responses'];
}

type Settings = Readonly<Record<string, unknown>>;

/** The row's own list, or what the kind offers to every row. */
export function readProtocols(
  settings: Settings,
  { responses, responsesElsewhere = responses }: ProtocolOffer,
  baseUrl: string | null = null,
): readonly ChatProtocolName[] {
  const reading = listed.safeParse(settings['protocols']);
  if (reading.success) return reading.data;
  const offer = isOpenaiAddress(baseUrl) ? responses : responsesElsewhere;
  if (offer === 'preferred') return responsesFirst;
  if (offer === 'alone') return responsesAlone;
  return offer === 'offered' ? chatProtocols : ['chat-completions'];
}

const responsesFirst: readonly ChatProtocolName[] = ['responses', 'chat-completions'];
const responsesAlone: readonly ChatProtocolName[] = ['responses'];

/** The host itself, or one for a region. */
export const isOpenaiAddress = (baseUrl: string | null): boolean =>
  baseUrl === null || /(^|\.)api\.openai\.com$/.test(URL.parse(baseUrl)?.hostname ?? '');

/** @throws Error with a sentence for the operator. */
export function checkProtocols(settings: Settings, preset: ProtocolOffer): void {
  const { protocols } = settings;
  if (protocols === undefined) return;
  const reading = listed.safeParse(protocols);
  if (!reading.success) throw new Error(`protocols: expected a list of ${chatProtocols.join(' and ')}`);
  if (new Set(reading.data).size < reading.data.length) throw new Error('protocols: names one twice');
  if (preset.responses === 'none' && reading.data.includes('responses')) {
    throw new Error(`protocols: ${preset.kind} is not known to speak responses`);
  }
  if (preset.responses === 'alone' && reading.data.includes('chat-completions')) {
    throw new Error(`protocols: ${preset.kind} speaks responses and no chat completions any more`);
  }
}
