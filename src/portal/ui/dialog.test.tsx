import { expect, test } from 'bun:test';
import { DestroyDialog } from './dialog.tsx';
import { SpeechContext, speechIn } from './speech.tsx';

test('what asks for the name of a thing takes that name alone, whatever stands in it', () => {
  const thing = String.raw`a-b & c! #1, d@e; f:g=h~%<>\^$.*+?()[]{}|/`;
  const drawn = String(
    <SpeechContext.Provider value={speechIn('en')}>
      <DestroyDialog id="delete" title="Delete" to="/" thing={thing} label="Name" confirm="Delete" />
    </SpeechContext.Provider>,
  );
  const written = / pattern="([^"]*)"/.exec(drawn)?.[1] ?? '';
  const pattern = written.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  // As a browser reads it.
  const asked = new RegExp(`^(?:${pattern})$`, 'v');
  expect([thing, `${thing}.`, 'a'].map((text) => asked.test(text))).toEqual([true, false, false]);
});
