/** Scenarios of thinking: it is shown, and comes back to the model that made it, signed as it was. */
import { expect } from 'bun:test';
import { lastRequest, lastUsage, type Scenario, type Scene, weather } from './scene.ts';
import type { Heard } from './talk.ts';
import { upstreamCases } from './upstreams.ts';

const options = { tools: [weather], thinks: true, maxTokens: 4000 };
const thinking = { showReasoning: true, reasoningTokens: 5, toolCalls: 1 };
/** What the double thinks in five tokens. */
const words = 'calm rivers carry small boats';
const answer = { generate: { text: 'Wet.' } };

/** What of the answer must be in later requests; call it before the next request goes out. */
function replayedOf(scene: Scene, heard: Heard): string {
  return scene.upstream.replayed(words, heard.calls[0], lastRequest(scene).number);
}

/** Where thinking is not shown, it is its seal alone that comes back. */
function shownIn({ client, upstream }: Scene): string {
  return client.asksToSee || upstream.showsUnasked ? words : '';
}

export const thinkingScenarios: readonly Scenario[] = [
  {
    title: 'thinking that is taken back in the second turn and in the third',
    async play(scene) {
      scene.sluice.upstream.enqueue({ generate: thinking }, { generate: thinking }, answer);
      const first = await scene.talk.say('How is the weather?', options);
      const replayed = replayedOf(scene, first);
      expect(first.thinking).toBe(shownIn(scene));
      const { reasoningTokens } = await lastUsage(scene);
      expect(reasoningTokens).toBe(scene.upstream.countsThinking ? 5 : 0);
      const second = await scene.talk.answer(first.calls, ['rain'], options);
      expect(lastRequest(scene).bodyText).toContain(replayed);
      expect(await scene.talk.answer(second.calls, ['more rain'], options)).toMatchObject({ text: 'Wet.' });
      expect(lastRequest(scene).bodyText).toContain(replayed);
    },
  },
  {
    title: 'thinking with a demanded tool and a temperature, for models that do not bear both',
    // Who speaks the model's own protocol is answered by the model.
    fits: (client, upstream) => client.protocol !== 'messages' && client.protocol !== upstream.protocol,
    async play({ talk }) {
      const heard = await talk.say('Go.', { ...options, demands: 'weather', temperature: 0.5 });
      expect(heard.calls).toMatchObject([{ name: 'weather' }]);
    },
  },
  {
    title: 'a temperature, for models that do not take it or take less of it',
    fits: (client, upstream) => client.protocol !== upstream.protocol,
    async play({ talk }) {
      expect(await talk.say('Go.', { temperature: 0.5, maxTokens: 20 })).toMatchObject({ stop: 'length' });
    },
  },
  {
    title: 'thinking before words, which are talked about further',
    async play(scene) {
      const { tools: _none, ...plain } = options;
      const generate = { showReasoning: true, reasoningTokens: 5, text: 'To the sea.' };
      scene.sluice.upstream.enqueue({ generate }, answer);
      const first = await scene.talk.say('Where does it go?', plain);
      expect(first).toMatchObject({ text: 'To the sea.', thinking: shownIn(scene), stop: 'end' });
      const replayed = replayedOf(scene, first);
      expect(await scene.talk.say('And then?', plain)).toMatchObject({ text: 'Wet.' });
      for (const part of ['To the sea.', replayed]) expect(lastRequest(scene).bodyText).toContain(part);
    },
  },
  ...upstreamCases.map(({ protocol, model }) => ({
    title: `thinking that goes on over ${protocol}, and comes back`,
    fits: (_client: unknown, upstream: { readonly model: string }) => upstream.model !== model,
    async play(scene: Scene) {
      scene.sluice.upstream.enqueue({ generate: thinking }, { generate: thinking }, answer);
      const first = await scene.talk.say('How is the weather?', options);
      const replayed = replayedOf(scene, first);
      const second = await scene.talk.answer(first.calls, ['rain'], { ...options, model });
      expect(second.calls).toHaveLength(1);
      const third = await scene.talk.answer(second.calls, ['more rain'], options);
      expect(third).toMatchObject({ text: 'Wet.' });
      expect(lastRequest(scene).bodyText).toContain(replayed);
    },
  })),
];
