import { describe, expect, test } from 'bun:test';
import { openaiSpeech } from './openai.ts';
import { refusedParam, writeSpeech } from './testing/write-speech.ts';

describe('OpenAI', () => {
  test('the model, a voice and the format are set; everything else goes along, but for nulls', () => {
    const fields = { speed: 1.5, instructions: 'slowly', seed: 7, voice: null, response_format: null };
    expect(writeSpeech(openaiSpeech(), 'tts-1', fields)).toEqual({
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
    expect(writeSpeech(host, 'm', { response_format: 'wav' }).body).not.toHaveProperty('voice');
    expect(writeSpeech(host, 'm', { response_format: 'wav', voice: 'v' }).body).toMatchObject({ voice: 'v' });
    expect(host.formats).toEqual(['wav']);
    expect(refusedParam(host, 'm', {})).toBe('response_format');
  });
});
