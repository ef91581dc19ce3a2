/** How a webhook is, as a shape and a word. */
import type { Webhook } from '../../../notifications/index.ts';
import { webhooksWords } from '../../languages/webhooks/index.ts';
import { useWords } from '../../ui/speech.tsx';
import { type Mood, State } from '../../ui/state.tsx';

export function WebhookState({ webhook }: { readonly webhook: Webhook }) {
  const { states } = useWords(webhooksWords);
  const [mood, name] = stateOf(webhook);
  return <State mood={mood}>{states[name]}</State>;
}

function stateOf({
  enabled,
  pausedAt,
  failures,
}: Webhook): readonly [Mood, 'on' | 'off' | 'paused' | 'failing'] {
  if (pausedAt !== null) return ['bad', 'paused'];
  if (!enabled) return ['off', 'off'];
  return failures > 0 ? ['warn', 'failing'] : ['good', 'on'];
}
