import { describe, expect, test } from 'bun:test';
import { refusedParam, writeSpeech } from '../../protocols/speech/testing/write-speech.ts';
import { deepgramSpeech } from './speech.ts';

describe('speech of Deepgram', () => {
  const upstream = deepgramSpeech;
  const modelFor = (model: string, voice?: string) =>
    new URLSearchParams(writeSpeech(upstream, model, { voice }).path).get('model');

  test('the text is the body, the rest the query', () => {
    expect(writeSpeech(upstream, 'aura-2-zeus-en')).toEqual({
      path: '?model=aura-2-zeus-en&encoding=mp3',
      body: { text: 'Hello' },
    });
  });

  test('the voice is a part of the model', () => {
    expect(modelFor('aura-2')).toBe('aura-2-thalia-en');
    expect(modelFor('aura')).toBe('aura-asteria-en');
    expect(modelFor('aura', 'luna')).toBe('aura-luna-en');
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
    expect(writeSpeech(upstream, 'aura-2', { speed: 0.7 }).path).toContain('speed=0.7');
    expect(refusedParam(upstream, 'aura-2', { speed: 1.6 })).toBe('speed');
    expect(refusedParam(upstream, 'aura-asteria-en', { speed: 1.1 })).toBe('speed');
  });

  test('a text may have 2000 characters', () => {
    expect(refusedParam(upstream, 'aura-2', { input: '🌊'.repeat(2000) })).toBeUndefined();
    expect(refusedParam(upstream, 'aura-2', { input: 'x'.repeat(2001) })).toBe('input');
  });
});
