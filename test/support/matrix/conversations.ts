/** Scenarios of what is said: text, tools, images, refusals, and how an answer ends. */
import { expect } from 'bun:test';
import { clock, errorOf, lastRequest, lastUsage, type Scenario, weather } from './scene.ts';

/** One pixel. */
const image =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const closed = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

export const conversations: readonly Scenario[] = [
  {
    title: 'text in any script, however it is cut, with a system prompt',
    async play({ talk, sluice, ...scene }) {
      const text = 'Größe 水門 👩‍🔧 नदी שָׁלוֹם, and so on.';
      for (const writes of ['event', { everyBytes: 7 }, { seed: 3 }] as const) {
        sluice.upstream.enqueue({ generate: { text }, shape: { writes } });
        const heard = await talk.say('Where does the river go?', { system: 'Be brief.' });
        expect(heard).toMatchObject({ text, calls: [], stop: 'end' });
        expect(lastRequest({ talk, sluice, ...scene }).bodyText).toContain('Be brief.');
      }
    },
  },
  {
    title: 'a tool over two turns',
    async play(scene) {
      const options = { tools: [weather, clock] };
      scene.sluice.upstream.enqueue({ generate: { toolCalls: 1 } }, { generate: { text: 'Wet.' } });
      const first = await scene.talk.say('How is the weather?', options);
      expect(first.stop).toBe('tools');
      expect(first.calls).toMatchObject([{ name: 'weather', input: { city: 'sample' } }]);
      const second = await scene.talk.answer(first.calls, ['rain all day'], options);
      expect(second).toMatchObject({ text: 'Wet.', stop: 'end', calls: [] });
      expect(lastRequest(scene).bodyText).toContain('rain all day');
    },
  },
  {
    title: 'tools side by side, one without arguments, over three turns',
    async play(scene) {
      const options = { tools: [weather, clock] };
      const interleaveToolCalls = scene.upstream.interleavesCalls;
      scene.sluice.upstream.enqueue(
        { generate: { toolCalls: 3, interleaveToolCalls } },
        { generate: { toolCalls: 1 } },
        { generate: { text: 'Wet at noon.' } },
      );
      const first = await scene.talk.say('How is the weather, and when?', options);
      expect(first.calls.map(({ name, input }) => [name, input])).toEqual([
        ['weather', { city: 'sample' }],
        ['clock', {}],
        ['weather', { city: 'sample' }],
      ]);
      expect(new Set(first.calls.map(({ id }) => id)).size).toBe(3);
      const second = await scene.talk.answer(first.calls, ['rain', 'noon', 'sun'], options);
      const third = await scene.talk.answer(second.calls, ['more rain'], options);
      expect(third).toMatchObject({ text: 'Wet at noon.', stop: 'end' });
      for (const result of ['rain', 'noon', 'sun', 'more rain'])
        expect(lastRequest(scene).bodyText).toContain(result);
    },
  },
  {
    title: 'a tool whose result says nothing',
    async play({ talk, sluice }) {
      sluice.upstream.enqueue({ generate: { toolCalls: 2 } }, { generate: { text: 'Nothing.' } });
      const options = { tools: [weather, clock] };
      const { calls } = await talk.say('How is the weather?', options);
      expect(await talk.answer(calls, ['', ' '], options)).toMatchObject({ text: 'Nothing.' });
    },
  },
  {
    title: 'words that were not answered are said again with the next ones',
    async play(scene) {
      scene.sluice.upstream.enqueue({ fault: 'status_400' }, { generate: { text: 'Yes.' } });
      await errorOf(scene.talk.say('Are you there?'));
      expect(await scene.talk.say('Hello?')).toMatchObject({ text: 'Yes.' });
      for (const words of ['Are you there?', 'Hello?']) expect(lastRequest(scene).bodyText).toContain(words);
    },
  },
  {
    title: 'the one tool that is demanded is the one that is called',
    async play({ talk }) {
      const heard = await talk.say('Go.', { tools: [clock, weather], demands: 'weather' });
      expect(heard).toMatchObject({ stop: 'tools', calls: [{ name: 'weather', input: { city: 'sample' } }] });
    },
  },
  {
    title: 'an image',
    async play(scene) {
      scene.sluice.upstream.enqueue({ generate: { text: 'A dot.' } });
      expect(await scene.talk.say('What is this?', { image })).toMatchObject({ text: 'A dot.' });
      expect(lastRequest(scene).bodyText).toContain(image);
    },
  },
  {
    title: 'a refusal is one for the client too',
    async play(scene) {
      scene.sluice.upstream.enqueue({ generate: { refusal: 'That is not for us.' } });
      expect(await scene.talk.say('Open all the gates.')).toMatchObject({ stop: 'refusal', calls: [] });
    },
  },
  {
    title: 'a bound cuts the answer and is told as such',
    async play(scene) {
      const heard = await scene.talk.say('Go on.', { maxTokens: 20 });
      expect(heard).toMatchObject({ stop: 'length', usage: { output: 20 } });
      expect(await lastUsage(scene)).toMatchObject({ outputTokens: 20, outcome: 'complete' });
    },
  },
  {
    title: 'a stop sequence ends the answer',
    fits: (client) => client.stops,
    async play(scene) {
      scene.sluice.upstream.enqueue({ generate: { text: 'One two three four' } });
      const heard = await scene.talk.say('Count.', { stop: 'three' });
      expect(heard).toMatchObject({ text: 'One two ', stop: 'end' });
      if (scene.client.namesStop && scene.upstream.namesStop) expect(heard.stopSequence).toBe('three');
    },
  },
  {
    title: 'a schema is kept to',
    async play(scene) {
      const heard = await scene.talk.say('Where?', { schema: closed });
      expect(JSON.parse(heard.text)).toEqual({ city: 'sample' });
    },
  },
];
