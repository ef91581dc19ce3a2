/** Puts environment variables into the texts of a configuration file: `${NAME}`, and `$${` for a literal `${`. */
import type { Variables } from './variables.ts';

export interface Interpolation {
  readonly value: unknown;
  readonly problems: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}

const reference = /\$\$\{|\$\{([^}]*)(\}?)/g;
const malformed = 'expected the name of a variable between the braces; double the dollar for a literal one';
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Texts only: neither keys nor numbers. What is put in is not looked through again, and stays text. */
export function interpolate(value: unknown, variables: Variables): Interpolation {
  const problems: { path: readonly PropertyKey[]; message: string }[] = [];
  const walk = (node: unknown, path: readonly PropertyKey[]): unknown => {
    if (Array.isArray(node)) return node.map((item, index) => walk(item, [...path, index]));
    if (typeof node === 'object' && node !== null) {
      return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, walk(item, [...path, key])]));
    }
    if (typeof node !== 'string') return node;
    return node.replace(reference, (written, name: string | undefined, end: string | undefined) => {
      if (name === undefined) return '${';
      if (end === '' || !variableName.test(name)) {
        problems.push({ path, message: malformed });
        return written;
      }
      const found = variables[name];
      if (found !== undefined && found !== '') return found;
      problems.push({ path, message: `the environment variable ${name} is not set` });
      return written;
    });
  };
  return { value: walk(value, []), problems };
}
