/** Commands to paste into a shell; the token is named by a variable, because no page knows it. */
import { Code } from './code.tsx';

/** Dated, because the same reference is credited only once. */
export function CreditCommand({ email, nowMs }: { readonly email: string; readonly nowMs: number }) {
  const day = new Date(nowMs).toISOString().slice(0, 10);
  const lines = ['npx sluice wallet credit', `--owner ${quote(email)}`, `--usd 25 --reference ${day}`];
  return <Command lines={lines} />;
}

export function Command({ lines }: { readonly lines: readonly string[] }) {
  return <Code code={lines.join(' \\\n  ')} />;
}

/** Models and people have names with characters that a shell would act on. */
export function quote(text: string): string {
  return /^[\w@.:/+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
