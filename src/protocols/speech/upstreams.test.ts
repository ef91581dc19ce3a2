import { describe, expect, test } from 'bun:test';
import { AppError } from '../../base/errors.ts';
import { deepgramSpeech } from './deepgram.ts';
import { elevenlabsSpeech } from './elevenlabs.ts';
import { openaiSpeech } from './openai.ts';
import { readSpeechRequest } from './request.ts';
import type { SpeechUpstream } from './speech.ts';

const requestOf = (fields: object) =>
  readSpeechRequest(JSON.stringify({ model: 'x', input: 'Hello', ...fields }));

function write(upstream: SpeechUpstream, model: string, fields: object = {}) {
  const { path, body } = upstream.writeRequest(requestOf(fields), model);
  return { path, body: JSON.parse(body) };
}

function refusedParam(upstream: SpeechUpstream, model: string, fields: object): string | undefined {
  try {
    upstream.writeRequest(requestOf(fields), model);
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_parameter') return error.param;
    throw error;
  }
  return undefined;
}

describe('OpenAI', () => {
  test('the model, a voice and the format are set; everything else goes along, but for nulls', () => {
    const fields = { speed: 1.5, instructions: 'slowly', seed: 7, voice: null, response_format: null };
    expect(write(openaiSpeech(), 'tts-1', fields)).toEqual({
      path: '',
      body: {
        model: 'tts-1',
        input: 'Hello',
        speed: 1.5,
        instructions: 'slowly',
        seed: 7,
        voice: 'alloy',
        response_format: 'mp3',
      },
    });
  });

  test('a host has its own voice and formats, or none', () => {
    const host = openaiSpeech({ defaultVoice: null, formats: ['wav'] });
    expect(write(host, 'm', { response_format: 'wav' }).body).not.toHaveProperty('voice');
    expect(write(host, 'm', { response_format: 'wav', voice: 'v' }).body).toMatchObject({ voice: 'v' });
    expect(host.formats).toEqual(['wav']);
    expect(refusedParam(host, 'm', {})).toBe('response_format');
  });
});

describe('ElevenLabs', () => {
  const upstream = elevenlabsSpeech({ defaultVoice: 'default1' });

  test('the default voice, and no settings for the usual speed', () => {
    expect(write(upstream, 'eleven_v3', { instructions: 'slowly' })).toEqual({
      path: '/default1?output_format=mp3_44100_128',
      body: { text: 'Hello', model_id: 'eleven_v3' },
    });
    expect(write(upstream, 'm', { response_format: 'wav', voice: 'v' }).path).toBe(
      '/v?output_format=wav_24000',
    );
  });

  test.each([0.7, 1.2])('a speed of %p is taken', (speed) => {
    expect(write(upstream, 'm', { speed }).body).toMatchObject({ voice_settings: { speed } });
  });

  test.each([0.69, 1.21])('a speed of %p is not', (speed) => {
    expect(refusedParam(upstream, 'm', { speed })).toBe('speed');
  });

  test.each(['..', 'a/b', 'a?b=c', 'a b', 'x'.repeat(129)])('%p is no voice', (voice) => {
    expect(refusedParam(upstream, 'm', { voice })).toBe('voice');
  });
});

describe('Deepgram', () => {
  const upstream = deepgramSpeech({ defaultVoice: 'thalia-en' });
  const modelFor = (model: string, voice?: string) =>
    new URLSearchParams(write(upstream, model, { voice }).path).get('model');

  test('the text is the body, the rest the query', () => {
    expect(write(upstream, 'aura-2-zeus-en')).toEqual({
      path: '?model=aura-2-zeus-en&encoding=mp3',
      body: { text: 'Hello' },
    });
  });

  test('the voice is a part of the model', () => {
    expect(modelFor('aura-2')).toBe('aura-2-thalia-en');
    expect(modelFor('aura-2-zeus-en', 'apollo')).toBe('aura-2-apollo-en');
    expect(modelFor('aura-2-celeste-es', 'Nestor')).toBe('aura-2-nestor-es');
    expect(modelFor('aura-2', 'nestor-es')).toBe('aura-2-nestor-es');
    expect(modelFor('aura-2', 'aura-2-nestor-es')).toBe('aura-2-nestor-es');
    expect(modelFor('aura-asteria-en', 'luna')).toBe('aura-luna-en');
    expect(modelFor('our-own')).toBe('our-own');
    expect(refusedParam(upstream, 'our-own', { voice: 'luna' })).toBe('voice');
  });

  test.each(['aura-luna-en', 'a/b', 'a b', 'zeus&model=x', 'zeus-english'])(
    '%p is no voice of aura-2',
    (voice) => {
      expect(refusedParam(upstream, 'aura-2', { voice })).toBe('voice');
    },
  );

  test('the second family has a range of speeds, the first has none', () => {
    expect(write(upstream, 'aura-2', { speed: 0.7 }).path).toContain('speed=0.7');
    expect(refusedParam(upstream, 'aura-2', { speed: 1.6 })).toBe('speed');
    expect(refusedParam(upstream, 'aura-asteria-en', { speed: 1.1 })).toBe('speed');
  });

  test('a text may have 2000 characters', () => {
    expect(refusedParam(upstream, 'aura-2', { input: '🌊'.repeat(2000) })).toBeUndefined();
    expect(refusedParam(upstream, 'aura-2', { input: 'x'.repeat(2001) })).toBe('input');
  });
});
