import { expect, test } from 'bun:test';
import { applyMutant, findMutants } from './mutants.ts';

const told = (source: string, file = 'one.ts') =>
  findMutants(file, source).map((mutant) => applyMutant(source, mutant));

test.each([
  ['operators', 'const a = b < c;', ['const a = b <= c;', 'const a = b >= c;']],
  ['conditions', 'const a = b() ? 1 : 2;', ['const a = true ? 1 : 2;', 'const a = false ? 1 : 2;']],
  ['negations', 'const a = !b;', ['const a = b;']],
  ['booleans', 'const a = [true];', ['const a = [false];']],
  ['statements', 'b();', [';']],
  ['loops', 'while (b()) c;', ['while (false) c;', 'while (b()) ;']],
  ['methods', 'const a = Math.min(1, 2);', ['const a = Math.max(1, 2);']],
  ['sums', 'a += 1;', ['a -= 1;', ';']],
  ['counts', 'const b = a++;', ['const b = a--;']],
])('mistakes in %s are found', (_, source, mutants) => {
  expect(told(source).toSorted()).toEqual([...mutants].toSorted());
});

test('nothing is found in types and imports, and what they stand around is', () => {
  expect(
    told("import { a } from 'b';\ntype A = true | false;\nconst a = <T,>(b: T extends true ? 1 : 2) => b;"),
  ).toEqual([]);
  expect(told('const a = (b < c) as boolean;')).toHaveLength(2);
});

test('a place is told by bytes and lines, behind comments and letters of several bytes', () => {
  const source = '/** Größe, 😀. */\n// Noch mehr – hier.\nconst ä = ü && ö;\n';
  const [mutant] = findMutants('one.ts', source);
  expect(mutant).toMatchObject({ line: 3, before: '&&', after: '||' });
  expect(told(source)).toEqual([source.replace('&&', '||')]);
});

test('queries are mutated where they are SQL, and scripts where they are Lua', () => {
  const query = 'const a = sql`SELECT a WHERE c < d AND EXISTS (SELECT)`;';
  expect(told(query).toSorted()).toEqual(
    [query.replace('<', '<='), query.replace('AND', 'OR'), query.replace('EXISTS', 'NOT EXISTS')].toSorted(),
  );
  const script = 'const a = `local b = math.max(0, c)`;';
  expect(told(script)).toEqual([]);
  expect(told(script, 'redis-scripts.ts')).toEqual([script.replace('max', 'min')]);
});

test('what nobody could read is no mistake that somebody makes', () => {
  for (const source of ['class A extends B { constructor() { super(); } }', 'if (a) b(); else c();']) {
    for (const mutated of told(source))
      expect(() => new Bun.Transpiler().transformSync(mutated)).not.toThrow();
  }
  expect(told('class A extends B { constructor() { super(); } }')).toEqual([]);
});
