/** Small mistakes that somebody could make in a source file: each is one place and what stands there instead. */
import { parseSync } from '@swc/core';

export interface Mutant {
  readonly file: string;
  readonly line: number;
  /** What was done, in one word or two. */
  readonly kind: string;
  /** Of the file's bytes. */
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
}

interface Node {
  readonly type: string;
  readonly span: { readonly start: number; readonly end: number };
  readonly [member: string]: unknown;
}

/** What can stand in place of an operator: the boundary beside it, and its opposite. */
const operators: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '==': ['!='],
  '!=': ['=='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
  '+=': ['-='],
  '-=': ['+='],
  '++': ['--'],
  '--': ['++'],
};

/** Methods with a neighbour that looks as right. */
const methods: Readonly<Record<string, string>> = {
  min: 'max',
  max: 'min',
  floor: 'ceil',
  ceil: 'floor',
  some: 'every',
  every: 'some',
};

type TextRule = readonly [pattern: RegExp, after: string];

/** In SQL. What two statements do at the same time, as locks and their order, is for the model and the property tests. */
const sqlRules: readonly TextRule[] = [
  [/\bleast\(/g, 'greatest('],
  [/\bgreatest\(/g, 'least('],
  [/ \+ /g, ' - '],
  [/ - /g, ' + '],
  [/ < /g, ' <= '],
  [/ <= /g, ' < '],
  [/ > /g, ' >= '],
  [/ >= /g, ' > '],
  [/ <> /g, ' = '],
  [/\bAND\b/g, 'OR'],
  [/\bOR\b/g, 'AND'],
  [/\bIS NULL\b/g, 'IS NOT NULL'],
  [/\bIS NOT NULL\b/g, 'IS NULL'],
  [/(?<!NOT )\bEXISTS\b(?= \()/g, 'NOT EXISTS'],
  [/\bNOT EXISTS\b/g, 'EXISTS'],
];

/** In Lua, which Redis runs. */
const luaRules: readonly TextRule[] = [
  [/\bmath\.min\b/g, 'math.max'],
  [/\bmath\.max\b/g, 'math.min'],
  [/ \+ /g, ' - '],
  [/ - /g, ' + '],
  [/ \* /g, ' / '],
  [/ < /g, ' <= '],
  [/ <= /g, ' < '],
  [/ > /g, ' >= '],
  [/ >= /g, ' > '],
  [/ == /g, ' ~= '],
  [/ ~= /g, ' == '],
  [/ and /g, ' or '],
  [/ or /g, ' and '],
];

/** @param file is Lua in its templates where its name says scripts. */
export function findMutants(file: string, source: string): readonly Mutant[] {
  return new MutantSearch(file, source).run();
}

/** @returns the source with the mistake in it. */
export function applyMutant(source: string, { start, end, after }: Mutant): string {
  const bytes = Buffer.from(source);
  return Buffer.concat([bytes.subarray(0, start), Buffer.from(after), bytes.subarray(end)]).toString();
}

class MutantSearch {
  readonly #file: string;
  readonly #source: string;
  readonly #bytes: Buffer;
  readonly #found: Mutant[] = [];
  /** Where the parser begins to count. */
  #base = 0;

  constructor(file: string, source: string) {
    this.#file = file;
    this.#source = source;
    this.#bytes = Buffer.from(source);
  }

  run(): readonly Mutant[] {
    // An empty statement in front tells where the parser begins to count: a module's own place leaves comments out.
    const { body } = parseSync(`;${this.#source}`, { syntax: 'typescript', target: 'es2022' });
    const [first, ...rest] = body as unknown as readonly Node[];
    this.#base = (first?.span.start ?? 0) + 1;
    for (const statement of rest) this.#visit(statement);
    return this.#found.filter((mutant) => isReadable(applyMutant(this.#source, mutant)));
  }

  #visit(value: unknown): void {
    if (Array.isArray(value)) for (const each of value) this.#visit(each);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    if (!isNode(value)) {
      // A call's argument stands in an object without a type of its own.
      for (const member of Object.values(value)) this.#visit(member);
      return;
    }
    if (value.type === 'ImportDeclaration' || isOnlyType(value.type)) return;
    this.#mutate(value);
    for (const [name, member] of Object.entries(value)) if (name !== 'span') this.#visit(member);
  }

  #mutate(node: Node): void {
    const { type, span } = node;
    if (type === 'BinaryExpression' || type === 'AssignmentExpression') {
      this.#operator(node, endOf(node['left']), startOf(node['right']));
    } else if (type === 'UpdateExpression') {
      const [argument, isPrefix] = [node['argument'], node['prefix'] === true];
      if (isPrefix) this.#operator(node, span.start, startOf(argument));
      else this.#operator(node, endOf(argument), span.end);
    } else if (type === 'UnaryExpression' && node['operator'] === '!') {
      this.#add('negation', span.start, startOf(node['argument']), '');
    } else if (type === 'BooleanLiteral') {
      this.#add('boolean', span.start, span.end, String(node['value'] !== true));
    } else if (type === 'IfStatement' || type === 'ConditionalExpression') {
      for (const after of ['true', 'false']) this.#condition(node, after);
    } else if (type === 'WhileStatement' || type === 'ForStatement') {
      this.#condition(node, 'false');
    } else if (type === 'ExpressionStatement') {
      this.#statement(node);
    } else if (type === 'CallExpression') {
      this.#method(node);
    } else if (type === 'TaggedTemplateExpression' && nameOf(node['tag']) === 'sql') {
      this.#texts(node['template'], sqlRules);
    } else if (type === 'TemplateLiteral' && this.#file.includes('scripts')) {
      this.#texts(node, luaRules);
    }
  }

  #operator(node: Node, from: number, to: number): void {
    const operator = String(node['operator']);
    const at = this.#text(from, to).indexOf(operator);
    if (at < 0) return;
    for (const after of operators[operator] ?? []) {
      this.#add(`operator ${operator}`, from + at, from + at + operator.length, after);
    }
  }

  #condition(node: Node, after: string): void {
    const test = node['test'];
    if (isNode(test)) this.#add('condition', test.span.start, test.span.end, after);
  }

  #statement(node: Node): void {
    const expression = node['expression'];
    const callee = isNode(expression) ? expression['callee'] : undefined;
    if (isNode(callee) && callee.type === 'Super') return;
    this.#add('statement', node.span.start, node.span.end, ';');
  }

  #method(node: Node): void {
    const callee = node['callee'];
    const property = isNode(callee) ? callee['property'] : undefined;
    const after = methods[nameOf(property) ?? ''];
    if (isNode(property) && after !== undefined) {
      this.#add('method', property.span.start, property.span.end, after);
    }
  }

  #texts(template: unknown, rules: readonly TextRule[]): void {
    if (!isNode(template) || !Array.isArray(template['quasis'])) return;
    for (const quasi of template['quasis'].filter(isNode)) {
      const { start, end } = quasi.span;
      const text = this.#text(start, end);
      for (const [pattern, after] of rules) {
        for (const { index, 0: before } of text.matchAll(pattern)) {
          const from = start + Buffer.byteLength(text.slice(0, index));
          this.#add('query', from, from + Buffer.byteLength(before), after);
        }
      }
    }
  }

  #text(start: number, end: number): string {
    return this.#bytes.subarray(start - this.#base, end - this.#base).toString();
  }

  #add(kind: string, from: number, to: number, after: string): void {
    const [start, end] = [from - this.#base, to - this.#base];
    const before = this.#bytes.subarray(start, end).toString();
    if (before === after) return;
    const line = this.#bytes.subarray(0, start).toString().split('\n').length;
    this.#found.push({ file: this.#file, line, kind, start, end, before, after });
  }
}

function isReadable(source: string): boolean {
  try {
    parseSync(source, { syntax: 'typescript', target: 'es2022' });
    return true;
  } catch {
    return false;
  }
}

/** Types are gone when the program runs, but for what stands inside of an expression that has one. */
const isOnlyType = (type: string): boolean =>
  type.startsWith('Ts') && !/^Ts(?:As|Satisfies|NonNull|ConstAssertion|Parameter|Instantiation)/.test(type);

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'span' in value;
const startOf = (value: unknown): number => (isNode(value) ? value.span.start : 0);
const endOf = (value: unknown): number => (isNode(value) ? value.span.end : 0);
const nameOf = (value: unknown): string | undefined =>
  isNode(value) && value.type === 'Identifier' ? String(value['value']) : undefined;
