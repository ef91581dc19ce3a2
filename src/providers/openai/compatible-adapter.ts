/** A host that is asked in OpenAI's manner: what is told of one as data, and the adapter that is made of it. */
import type { ChatDialect } from '../../protocols/chat-completions/dialect.ts';
import { openaiBounds } from '../../protocols/chat-completions/models.ts';
import { chatUpstream } from '../../protocols/chat-completions/protocol.ts';
import type { EmbeddingsUpstream } from '../../protocols/embeddings/embeddings.ts';
import type { PassingProtocol } from '../../protocols/protocol.ts';
import type { RerankUpstream } from '../../protocols/rerank/rerank.ts';
import { responsesUpstream } from '../../protocols/responses/protocol.ts';
import type { SpeechUpstream } from '../../protocols/speech/speech.ts';
import type { TranscriptionUpstream } from '../../protocols/transcription/transcription.ts';
import type { ClosedMembers } from '../closed-members.ts';
import {
  type Probe,
  type ProbedModel,
  type ProviderAdapter,
  type ProviderTarget,
  pathOfUrl,
  probeList,
  probeModel,
  probeTask,
  probeVectors,
  refuseOthers,
  type Supports,
  withPath,
} from '../provider.ts';
import { addressesOf } from '../vendor-adapter.ts';
import { checkProtocols, isOpenaiAddress, type ProtocolOffer, readProtocols } from './protocol-settings.ts';

export interface Preset extends ProtocolOffer {
  /** The host's own documentation, which its rows were made from. */
  readonly source: string;
  /** The month in which the row was last compared with it. */
  readonly asOf: string;
  /** Where the interface begins; paths such as `/chat/completions` follow. Null when every row must say. */
  readonly baseUrl: string | null;
  /** The environment variable that its keys are kept in by custom; null for servers of one's own. */
  readonly keyVariable: string | null;
  readonly dialect: ChatDialect;
  /** Where its responses differ from those of OpenAI. */
  readonly responsesProtocol?: PassingProtocol;
  /** Of hosts that a row names by an address of their own. */
  readonly elsewhere?: ChatDialect;
  /** False where the host has no `/models`: one token of a model is asked for instead. */
  readonly listsModels?: false;
  readonly closedMembers?: ClosedMembers;
  readonly embeddings?: EmbeddingsUpstream;
  readonly rerank?: RerankUpstream;
  readonly transcription?: TranscriptionUpstream;
  /** The host has `/audio/translations` beside the transcriptions. */
  readonly translates?: true;
  readonly speech?: SpeechUpstream;
}

/** The paths under which hosts have their interface: `api.groq.com` has it under `/openai/v1`. */
export type PathsOfHosts = ReadonlyMap<string, string>;

/** A row that gives a host alone, as the host's own clients take it, lacks the path that its interface stands under. */
function completeBaseUrl(written: string, { baseUrl }: Preset, paths: PathsOfHosts): string {
  const known = paths.get(written.replace(/^https?:\/\//, ''));
  return withPath(known ?? (baseUrl === null ? '/v1' : pathOfUrl(baseUrl)))(written);
}

export function compatibleAdapter(preset: Preset, paths: PathsOfHosts): ProviderAdapter {
  const at = addressesOf({ ...preset, complete: (written) => completeBaseUrl(written, preset, paths) });
  // Made once: what is kept for a protocol is kept for the protocol as this object.
  const chatIn = (dialect: ChatDialect) => ({
    'chat-completions': { protocol: chatUpstream(dialect), address: at('/chat/completions') },
    responses: { protocol: preset.responsesProtocol ?? responsesUpstream, address: at('/responses') },
  });
  const own = chatIn(preset.dialect);
  const elsewhere = preset.elsewhere === undefined ? own : chatIn(preset.elsewhere);
  const { embeddings, rerank, transcription, translates, speech } = preset;
  const others: Supports = {
    ...(embeddings && { embeddings: { protocol: embeddings, address: at('/embeddings') } }),
    ...(rerank && { rerank: { protocol: rerank, address: at('/rerank') } }),
    ...(transcription && {
      transcription: { protocol: transcription, address: at('/audio/transcriptions') },
    }),
    ...(transcription &&
      translates && { translation: { protocol: transcription, address: at('/audio/translations') } }),
    ...(speech && { speech: { protocol: speech, address: at('/audio/speech') } }),
  };
  const probeWork = (target: ProviderTarget, model: ProbedModel | null): readonly Probe[] => {
    const task = probeTask(target, model?.upstreamId);
    if (model?.type !== 'chat') {
      return probeVectors({ embeddings: at('/embeddings')(task), rerank: at('/rerank')(task) }, model);
    }
    if (preset.responses === 'alone') {
      const body = {
        model: model.upstreamId,
        input: 'Hi',
        max_output_tokens: openaiBounds.leastOutputTokens,
      };
      return [probeModel(at('/responses')(task), model, body)];
    }
    const messages = [{ role: 'user', content: 'Hi' }];
    const [maxTokens] = preset.dialect.maxTokensFields;
    const body = { model: model.upstreamId, messages, [maxTokens]: 1 };
    return [probeModel(at('/chat/completions')(task), model, body)];
  };
  return {
    kind: preset.kind,
    defaultBaseUrl: preset.baseUrl,
    needsCredential: preset.keyVariable !== null,
    ...(preset.closedMembers && { closedMembers: preset.closedMembers }),
    checkSettings: (settings) => {
      refuseOthers(settings, ['protocols']);
      checkProtocols(settings, preset);
    },
    probes(target, model) {
      const list = preset.listsModels === false ? [] : [probeList(at('/models')(probeTask(target)))];
      return [...list, ...probeWork(target, model)];
    },
    supports: (settings, baseUrl = null) => ({
      ...others,
      chat: readProtocols(settings, preset, baseUrl).map(
        (name) => (isOpenaiAddress(baseUrl) ? own : elsewhere)[name],
      ),
    }),
  };
}
