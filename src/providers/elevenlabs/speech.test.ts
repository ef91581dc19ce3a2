import { describe, expect, test } from 'bun:test';
import { refusedParam, writeSpeech } from '../../protocols/speech/testing/write-speech.ts';
import { elevenlabsSpeech } from './speech.ts';

describe('speech of ElevenLabs', () => {
  const upstream = elevenlabsSpeech;

  test('the default voice, and no settings for the usual speed', () => {
    expect(writeSpeech(upstream, 'eleven_v3', { instructions: 'slowly' })).toEqual({
      path: '/JBFqnCBsd6RMkjVDRZzb?output_format=mp3_44100_128',
      body: { text: 'Hello', model_id: 'eleven_v3' },
    });
    expect(writeSpeech(upstream, 'm', { response_format: 'wav', voice: 'v' }).path).toBe(
      '/v?output_format=wav_24000',
    );
  });

  test.each([0.7, 1.2])('a speed of %p is taken', (speed) => {
    expect(writeSpeech(upstream, 'm', { speed }).body).toMatchObject({ voice_settings: { speed } });
  });

  test.each([0.69, 1.21])('a speed of %p is not', (speed) => {
    expect(refusedParam(upstream, 'm', { speed })).toBe('speed');
  });

  test.each(['..', 'a/b', 'a?b=c', 'a b', 'x'.repeat(129)])('%p is no voice', (voice) => {
    expect(refusedParam(upstream, 'm', { voice })).toBe('voice');
  });
});
