import { expect, test } from 'bun:test';
import { type TestPortal, withTestPortal } from './testing/test-portal.ts';

let portal: TestPortal;
withTestPortal(
  (opened) => {
    ({ portal } = opened);
  },
  { changes: { publicUrl: 'https://sluice.test' } },
);

const html = { accept: 'text/html' };

/** A host below the same domain can write a cookie for all of it, but none whose name begins with `__Host-`. */
test('what waits over a redirect is, on https, in cookies that no neighbouring host can write', async () => {
  const refused = await portal.sendForm('/auth/login', { email: 'no address', password: 'four words' });
  const set = refused.answer.headers.getSetCookie();
  for (const name of ['__Host-sluice-message', '__Host-sluice-form']) {
    const [cookie] = set.filter((line) => line.startsWith(`${name}=`));
    expect(cookie).toMatch(/; Path=\/(;|$)/);
    expect(cookie).toContain('; Secure');
    expect(cookie).not.toContain('Domain');
  }
  const kept = set.map((line) => line.split(';')[0]).join('; ');
  const shown = await portal.ask('/login', { headers: { ...html, cookie: kept } });
  expect(shown.text).toContain('value="no address"');
  const message = set.find((line) => line.includes('sluice-message='))?.split(';')[0] ?? '';
  const told = await portal.ask('/login', { headers: { ...html, cookie: message } });
  expect(told.text).toContain('Something that you entered cannot be used.');
  for (const line of shown.answer.headers.getSetCookie()) {
    expect(line).toMatch(/^__Host-sluice-(message|form)=; Max-Age=0; Path=\/.*Secure/);
  }
  for (const cookie of [kept, message]) {
    const planted = cookie.replaceAll('__Host-', '');
    const { text } = await portal.ask('/login', { headers: { ...html, cookie: planted } });
    expect(text).not.toContain('no address');
    expect(text).not.toContain('Something that you entered');
  }
});

test('the question for a passkey is, on https, in such a cookie too', async () => {
  const { answer } = await portal.sendJson('/auth/passkey/options', {});
  expect(answer.headers.getSetCookie().join()).toMatch(/^__Host-sluice-passkey=.*Path=\/.*Secure.*Strict/);
});
