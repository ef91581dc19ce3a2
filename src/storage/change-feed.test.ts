/** What listeners hear, whatever a message holds. */
import { describe, expect, test } from 'bun:test';
import { everyKey, NotifyingChangeFeed } from './change-feed.ts';

function openFeed() {
  const warnings: string[] = [];
  const feed = new NotifyingChangeFeed((warning) => warnings.push(warning));
  const heard: string[] = [];
  const listen = (topic: string) => feed.subscribe(topic, (key) => heard.push(`${topic} ${key}`));
  return { feed, warnings, heard, listen };
}

describe('the change feed', () => {
  test('calls every listener of the topic and nobody else', () => {
    const { feed, heard, listen } = openFeed();
    listen('a');
    listen('a');
    listen('b');
    feed.deliver('["a","1"]');
    feed.deliver('["c","1"]');
    expect(heard).toEqual(['a 1', 'a 1']);
  });

  test('goes on when a listener fails, and says so', () => {
    const { feed, warnings, heard, listen } = openFeed();
    feed.subscribe('a', () => {
      throw new Error('broken listener');
    });
    listen('a');
    feed.deliver('["a","1"]');
    expect(heard).toEqual(['a 1']);
    expect(warnings).toEqual(['A listener to changes failed: broken listener']);
  });

  test('ends one subscription of a function that has two', () => {
    const { feed } = openFeed();
    let calls = 0;
    const listener = () => {
      calls += 1;
    };
    feed.subscribe('a', listener);
    feed.subscribe('a', listener)();
    feed.deliver('["a","1"]');
    expect(calls).toBe(1);
  });

  test('lets a listener end itself while it is called', () => {
    const { feed, heard, listen } = openFeed();
    const stop = feed.subscribe('a', () => stop());
    listen('a');
    feed.deliver('["a","1"]');
    feed.deliver('["a","2"]');
    expect(heard).toEqual(['a 1', 'a 2']);
  });

  test('tells every topic when messages may have been missed', () => {
    const { feed, heard, listen } = openFeed();
    listen('a');
    listen('b');
    feed.everythingMayHaveChanged();
    expect(heard).toEqual([`a ${everyKey}`, `b ${everyKey}`]);
  });

  test.each(['', 'null', '{}', '["a"]', '["a",1]', '["a","1","2"]', '["a","1"'])(
    'warns of the message %p',
    (payload) => {
      const { feed, warnings, heard, listen } = openFeed();
      listen('a');
      feed.deliver(payload);
      expect(heard).toEqual([]);
      expect(warnings).toHaveLength(1);
    },
  );
});
