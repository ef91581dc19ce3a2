/** A request as it is recorded: whom it tried, what it counted, what it cost. An example, and said to be one; a live one takes its place. */
import { landingWords } from '../languages/landing/index.ts';
import { useSpeech, useWords } from '../ui/speech.tsx';
import bench from './bench-figures.json';
import { LiveRequest } from './live-request.tsx';

const wholeMs = 4_212;
/** What the gateway adds to a request, as it was measured: the figure below the example is the same. */
export const addedMs = bench.medianMs - bench.medianWithoutMs;

/** In milliseconds from the start. */
const spans = [
  { key: 'gate', mood: 'gate', fromMs: 0, toMs: addedMs },
  { key: 'failed', mood: 'failed', fromMs: addedMs, toMs: 190 },
  { key: 'waited', mood: 'waited', fromMs: 190, toMs: 792 },
  { key: 'streamed', mood: 'streamed', fromMs: 792, toMs: 4_209 },
  { key: 'settled', mood: 'gate', fromMs: 4_209, toMs: wholeMs },
] as const;

/** With prices of 3.00, 0.30 and 15.00 dollars for a million tokens. */
const lines = [
  { key: 'input', tokens: 1_204, nanoUsdEach: 3_000n },
  { key: 'cached', tokens: 18_432, nanoUsdEach: 300n },
  { key: 'output', tokens: 812, nanoUsdEach: 15_000n },
] as const;

const costOf = ({ tokens, nanoUsdEach }: (typeof lines)[number]): bigint => BigInt(tokens) * nanoUsdEach;

/** Wide enough to be seen. */
const leastPercent = 0.6;

/** @param isLive whether a visitor can send one of their own. */
export function ExampleRequest({ isLive }: { readonly isLive: boolean }) {
  const words = useWords(landingWords).example;
  const { figures } = useSpeech();
  const total = lines.reduce((sum, line) => sum + costOf(line), 0n);
  return (
    <section class="example" aria-labelledby="example">
      <div class="section-head">
        <h2 id="example">{words.title}</h2>
        <span class="quiet small grow" data-detail role="status">
          {words.detail}
        </span>
        {isLive ? (
          <button
            type="button"
            class="button small"
            data-live
            data-again={words.live.again}
            data-detail={words.live.detail}
            data-waiting={words.live.waiting}
            data-failed={words.live.failed}
            hidden
          >
            {words.live.send}
          </button>
        ) : null}
      </div>
      {isLive ? <LiveRequest /> : null}
      <div data-recorded>
        <div class="example-parts">
          <dl class="spans">
            {spans.map(({ key, mood, fromMs, toMs }) => (
              <div>
                <dt>{words.spans[key]}</dt>
                <dd>
                  <svg width="100%" height="12" aria-hidden="true">
                    <rect class="track" y="5.5" width="100%" height="1" />
                    <rect
                      class={mood}
                      x={`${percent(fromMs)}%`}
                      width={`${Math.max(leastPercent, percent(toMs - fromMs))}%`}
                      height="12"
                      rx="2"
                    />
                  </svg>
                  <span class="number">{figures.span(toMs - fromMs)}</span>
                </dd>
              </div>
            ))}
          </dl>
          <table class="bill">
            <caption class="hidden">{words.bill}</caption>
            <tbody>
              {lines.map((line) => (
                <tr>
                  <th scope="row">{words.lines[line.key]}</th>
                  <td class="end quiet">{figures.count(line.tokens)}</td>
                  <td class="end">{figures.price(costOf(line))}</td>
                </tr>
              ))}
            </tbody>
            <tfoot>
              <tr>
                <th scope="row">{words.taken}</th>
                <td />
                <td class="end">{figures.price(total)}</td>
              </tr>
            </tfoot>
          </table>
        </div>
        <p class="quiet small">{words.note}</p>
      </div>
    </section>
  );
}

const percent = (ms: number): number => Math.round((ms / wholeMs) * 1000) / 10;
