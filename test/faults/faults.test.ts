/** The grades deserve their names, and every fault gets a good one. */
import { describe, expect, test } from 'bun:test';
import { gradeTrial } from './grade.ts';
import { type Answer, clients } from './hear.ts';
import { runFaults } from './run.ts';
import type { NamedFault } from './sixteen.ts';
import { writePage } from './table.ts';

const sound = 'all that there is';
const usualFault: NamedFault = { name: '500', fault: { name: 'status_500' } };
const ofRequest: NamedFault = {
  name: 'content filter',
  fault: { name: 'content_filter' },
  isOfRequest: true,
};
const losing: NamedFault = {
  name: 'malformed chunk',
  fault: { name: 'malformed_chunk' },
  losesPiece: true,
};

interface Wire {
  chunk(words: string): string;
  readonly end: string;
  readonly reason: string;
  readonly error: object;
  whole(words: string): object;
}

const event = (type: string, fields: object = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const data = (json: object): string => `data: ${JSON.stringify(json)}\n\n`;

const wires: readonly Wire[] = [
  {
    chunk: (content) => data({ choices: [{ index: 0, delta: { content }, finish_reason: null }] }),
    reason: data({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
    end: 'data: [DONE]\n\n',
    error: { error: { message: 'No.', type: 'server_error', code: 'upstream_failed' } },
    whole: (content) => ({ choices: [{ message: { content }, finish_reason: 'stop' }] }),
  },
  {
    chunk: (text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
    reason: event('message_delta', { delta: { stop_reason: 'end_turn' } }),
    end: event('message_stop'),
    error: { type: 'error', error: { message: 'No.', type: 'api_error' } },
    whole: (text) => ({ type: 'message', content: [{ type: 'text', text }], stop_reason: 'end_turn' }),
  },
];

describe.each(clients.map((client, at) => ({ name: client.name, client, wire: wires[at] })))(
  'to a client of $name',
  ({ client, wire }) => {
    if (wire === undefined) throw new Error('a client without its wire');
    const { chunk, reason, end } = wire;
    const errorFrame = client.name === 'messages' ? event('error', wire.error) : data(wire.error);
    const other = wires.find((one) => one !== wire)?.error ?? {};

    const grade = (given: Partial<Answer> | null, fault = usualFault, isSecondAsked = false) => {
      const answer = given === null ? null : { status: 200, text: '', isBroken: false, ...given };
      const isStreamed = answer !== null && !answer.text.startsWith('{');
      const heard = client.hear(answer ?? { status: 0, text: '', isBroken: true }, isStreamed);
      const secrets = ['a-key'];
      return gradeTrial({ fault, answer, heard, soundWords: [sound], secrets, isSecondAsked }).grade;
    };
    const told = (status: number, json: object = wire.error) => ({ status, text: JSON.stringify(json) });

    test('pass is a right answer, or the refusal that the request deserves', () => {
      expect(grade({ text: chunk('all that') + chunk(' there is') + reason + end })).toBe('pass');
      expect(grade({ text: JSON.stringify(wire.whole(sound)) })).toBe('pass');
      expect(grade(told(400), ofRequest)).toBe('pass');
    });

    test('partial is a part and the truth about it', () => {
      expect(grade({ text: chunk('all that') + errorFrame })).toBe('partial');
      expect(grade({ text: chunk('all ') + chunk('there is') + reason + end }, losing)).toBe('partial');
    });

    test('safe is an honest error', () => {
      expect(grade(told(502))).toBe('safe');
      expect(grade({ text: errorFrame })).toBe('safe');
      expect(grade(told(503), ofRequest)).toBe('safe');
    });

    const bad: readonly [string, Partial<Answer> | null, NamedFault?, boolean?][] = [
      ['no end', null],
      ['a good end of a part', { text: chunk('all that') + reason + end }],
      ['a good end without a reason', { text: chunk(sound) + end }],
      ['a part and nothing more', { text: chunk('all that') }],
      ['a broken connection', { text: chunk('all that'), isBroken: true }],
      ['a broken whole answer', { text: '{"choices"', isBroken: true }],
      ['other words', { text: JSON.stringify(wire.whole('something else')) }],
      ['two answers in one', { text: chunk('all that') + chunk(sound) + reason + end }],
      ['other words, then an error', { text: chunk('no') + errorFrame }],
      ['a piece lost where none had to be', { text: chunk('all ') + chunk('there is') + reason + end }],
      ['two pieces lost', { text: chunk('all') + chunk('there') + reason + end }, losing],
      ['an error with status 200', told(200)],
      ['an answer with status 502', told(502, wire.whole(sound))],
      ['a raw 500', told(500)],
      ['an error in another form', told(502, client.name === 'messages' ? other : { detail: 'No.' })],
      ['a page', { status: 502, text: '<html>' }],
      ['a frame that is no JSON', { text: `event: x\ndata: {"choi\n\n${chunk(sound)}${reason}${end}` }],
      ['a key in the error', told(502, { ...wire.error, hint: 'a-key' })],
      ['an answer to what was to be refused', { text: JSON.stringify(wire.whole(sound)) }, ofRequest],
      ['the next provider asked for it', told(400), ofRequest, true],
    ];
    for (const [what, answer, fault, isSecondAsked] of bad) {
      test(`${what} fails`, () => expect(grade(answer, fault, isSecondAsked)).toBe('fail'));
    }
  },
);

const afterWords = [
  'reset mid-stream',
  'mid-stream stall',
  'malformed chunk',
  'truncated stream',
  'in-band error',
];

/** Whether an answer comes at all is asked here, and how soon by `npm run faults`. */
const patience = 4;

test('with rescue every fault passes where a second provider is sound, and each rescue is told', async () => {
  const results = await runFaults({ atOnce: 16, patience, isRescued: true });
  expect(results.filter(({ grade }) => grade === 'fail')).toEqual([]);
  const brokeOff = results.filter(({ isStreamed, fault }) => isStreamed && afterWords.includes(fault));
  const passing = [
    ...results.filter(({ place }) => place === 'second'),
    // Whoever broke off is asked for the rest where nobody else is there; but what a busy machine read at once, up to the
    // break, had not begun for its client, and is told as an error that it may send again.
    ...brokeOff.filter(({ place, status }) => place === 'passing' && status === 200),
  ];
  expect(passing.filter(({ grade }) => grade !== 'pass')).toEqual([]);
  // Where a busy machine reads all up to the break at once, nothing was shown yet, and another answers.
  const told = results.filter(({ isRescueTold }) => isRescueTold);
  // What was sent before a connection is reset is lost with it or comes, so that a rescue may begin there and break off too.
  const isCertain = ({ fault }: (typeof told)[number]) => fault !== 'reset mid-stream';
  expect(told.filter((each) => each.place === 'lasting' && isCertain(each))).toEqual([]);
  expect(told.length).toBeGreaterThan(10);
}, 180_000);

test('no fault ends badly, and a second provider answers for what broke before its first words', async () => {
  const results = await runFaults({ atOnce: 16, patience });
  expect(results.filter(({ grade }) => grade === 'fail')).toEqual([]);
  const unserved = results
    .filter(
      ({ place, fault, isStreamed }) => place === 'second' && !(isStreamed && afterWords.includes(fault)),
    )
    .filter(({ grade }) => grade !== 'pass');
  expect(unserved).toEqual([]);
  const page = writePage([{ name: 'now', title: 'here', results }], new Date(0));
  expect(page.match(/^\| \w.* \| (?:whole|streamed) \|/gm)).toHaveLength((17 * 3 - 1) * 2);
  expect(page).not.toContain('undefined');
}, 180_000);
