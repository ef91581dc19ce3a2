/** Text to speech, as OpenAI speaks it: JSON in, sound out, piece by piece. */
import type { Generation } from '../../answer.ts';
import { isObject, readNumber, readText } from '../../json.ts';
import { type Reply, streamReply } from '../../reply.ts';
import { piecesOf } from '../../turn/words.ts';
import { writeProblem } from '../chat-completions/problem.ts';
import { demandKnown, refuse } from '../openai-refusal.ts';
import type { Protocol } from '../protocol.ts';
import { readingOf } from '../refusal.ts';
import { type Sound, soundOf } from './sound.ts';

interface SpeechRequest {
  readonly model: string;
  readonly input: string;
  readonly sound: Sound;
}

const knownFields = ['model', 'input', 'voice', 'instructions', 'response_format', 'speed', 'stream_format'];
const mostCharacters = 4096;

export const speech: Protocol = {
  name: 'speech',
  serves: (method, path) => method === 'POST' && path.endsWith('/audio/speech'),
  read: ({ body }) =>
    readingOf(() => {
      const request = readSpeech(body);
      const generate = (generation: Generation) => speak(request, generation);
      return { model: request.model, stream: true, planKey: undefined, generate };
    }),
  writeProblem,
};

function readSpeech(body: unknown): SpeechRequest {
  if (!isObject(body)) throw refuse('The body is not a JSON object.');
  demandKnown(body, knownFields);
  const model = readText(body, 'model');
  if (!model) throw refuse('No model is named.', 'model');
  const input = readText(body, 'input') ?? '';
  if (input === '' || input.length > mostCharacters) {
    throw refuse(`input takes from 1 to ${mostCharacters} characters.`, 'input');
  }
  if (!body['voice']) throw refuse('No voice is named.', 'voice');
  const speed = readNumber(body, 'speed') ?? 1;
  if (speed < 0.25 || speed > 4) throw refuse('speed takes a number from 0.25 to 4.', 'speed');
  const sound = soundOf(readText(body, 'response_format') ?? 'mp3');
  if (sound === undefined) throw refuse('response_format takes mp3, wav or pcm here.', 'response_format');
  return { model, input, sound };
}

/** A piece for each word. */
function speak({ input, sound }: SpeechRequest, generation: Generation): Reply {
  const count = generation.tokens ?? piecesOf(input).length;
  const events = sound.pieces(count).map((bytes) => ({ bytes, tokens: 1, usage: undefined }));
  return streamReply(events, sound.contentType);
}
